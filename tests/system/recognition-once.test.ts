import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TABLE = join("packages", "protocol", "src", "agent");

/** What a second copy of the recognition would have to write down. */
const TELLTALE =
  /codex-mcp-client|claude-code\/["'`]|claudecode\/toolUseId|vscode\.conversationId|openai-mcp|io\.modelcontextprotocol\/client/;

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|m?js)$/.test(entry.name) && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

test("which program calls is told in one place, which the SDK, the core and the rules they share ask (seed-157, seed-163, seed-167)", () => {
  const packages = readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name, "src"));
  const all = [...packages, join(ROOT, "plugins")].flatMap(sources);
  const telltale = all.filter((path) => TELLTALE.test(readFileSync(join(ROOT, path), "utf8")));
  expect(telltale.filter((path) => !path.startsWith(TABLE))).toEqual([]);
  expect(telltale).not.toEqual([]);
  const asking = all.filter((path) => !path.startsWith(TABLE) && /\brecognize(Call)?\(/.test(readFileSync(join(ROOT, path), "utf8")));
  expect(new Set(asking.map((path) => path.split("/")[1]))).toEqual(new Set(["core", "protocol", "sdk"]));
});
