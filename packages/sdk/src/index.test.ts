import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as sdk from "./index.ts";
import { VERSION } from "./version.ts";

const source = fileURLToPath(new URL(".", import.meta.url));

async function sources(): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(source, name), "utf8") })));
}

test("exports these values and no others (seed-4)", () => {
  expect(Object.keys(sdk).sort()).toEqual(["Wakeshift", "WakeshiftError", "emitNamed"]);
});

test("exports these types and no others", async () => {
  const text = await readFile(join(source, "index.ts"), "utf8");
  const names = [...text.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  expect(names.sort()).toEqual(
    [
      ...[
        "AnyEvent",
        "ArgumentsOf",
        "AttachOptions",
        "Attached",
        "AuthInfo",
        "Call",
        "CoreFetch",
        "CoreRequest",
        "EmitOptions",
        "Emitted",
        "EndOptions",
        "ErrorCode",
        "EventOptions",
      ],
      ...[
        "Identity",
        "InputOf",
        "JsonSchema",
        "LogEntry",
        "LogLevel",
        "Logger",
        "OutputOf",
        "RequestContext",
        "Schema",
        "ServerLike",
        "StandardSchema",
      ],
      ...[
        "SubscribeOptions",
        "SubscribedNotice",
        "Subscriber",
        "Subscription",
        "ToolHandler",
        "ToolOptions",
        "ToolResult",
        "UnavailableReason",
      ],
      ...["UnsubscribedNotice", "WakeEvent", "WakeshiftOptions", "Wrap"],
    ].sort(),
  );
});

/** The one that turns schemas into JSON Schema, and the one that makes fields for frameworks that take zod. */
const ZOD_READERS = [join("schema", "json-schema-of.ts"), join("tools", "zod-shape.ts")];

test("imports no MCP SDK, and names no zod type in what it declares", async () => {
  const files = await sources();
  expect(files.length).toBeGreaterThan(30);
  for (const { name, text } of files) {
    expect(text, name).not.toMatch(/(from|import\()\s*"@modelcontextprotocol/);
    if (!ZOD_READERS.includes(name)) expect(text, name).not.toMatch(/from "zod/);
  }
});

test("reads the environment in one place", async () => {
  for (const { name, text } of await sources()) {
    if (!["wakeshift.ts", "emit-named.ts"].includes(name)) expect(text, name).not.toContain("process.env");
  }
});

test("has the version of its package", async () => {
  const manifest = JSON.parse(await readFile(join(source, "..", "package.json"), "utf8")) as {
    readonly version: string;
    readonly exports: object;
  };
  expect(VERSION).toBe(manifest.version);
  expect(Object.keys(manifest.exports)).toEqual([".", "./testing", "./tools", "./package.json"]);
});
