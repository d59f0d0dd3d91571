import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../machine/temporary-folder.test.support.ts";
import { rememberConfig } from "./config-memory.ts";

test("what Codex's configuration held is remembered whole, in one step, over what was remembered before", () => {
  const folder = temporaryFolder();
  const context = { wakeshiftHome: folder } as Parameters<typeof rememberConfig>[0];
  for (const after of ["a", "b".repeat(100_000)]) rememberConfig(context, { path: "/config.toml", after });
  expect(JSON.parse(readFileSync(join(folder, "codex-config.json"), "utf8"))).toEqual({ path: "/config.toml", after: "b".repeat(100_000) });
  expect(readdirSync(folder)).toEqual(["codex-config.json"]);
  expect(statSync(join(folder, "codex-config.json")).mode & 0o777).toBe(0o600);
});
