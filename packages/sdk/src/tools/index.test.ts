import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as tools from "./index.ts";

test("exports these values and no others (seed-78)", () => {
  expect(Object.keys(tools)).toEqual(["attachTools"]);
});

test("exports these types and no others", async () => {
  const text = await readFile(new URL("index.ts", import.meta.url), "utf8");
  const names = [...text.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  expect(names.sort()).toEqual([
    "AttachToolsOptions",
    "AttachedTools",
    "BuiltInTool",
    "DefinedToolHandler",
    "ListPage",
    "ListedBuiltIn",
    "RequestHeaders",
    "ToolAnswer",
    "ToolDefinition",
    "ToolDefinitionOptions",
    "ToolExtra",
    "ToolHints",
    "ToolMetadata",
    "ToolsContext",
    "WebHeaders",
    "ZodShape",
  ]);
});
