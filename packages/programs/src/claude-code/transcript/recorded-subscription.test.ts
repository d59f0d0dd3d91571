import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordsSubscription } from "./recorded-subscription.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function folderWith(...lines: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-transcripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "projects", "home"), { recursive: true });
  writeFileSync(join(folder, "projects", "home", "a.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return folder;
}

const result = (expiresAt: unknown): object => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: "t" }] },
  mcpMeta: { _meta: { "ai.wakeshift/subscription": [{ expiresAt }] } },
});

test("a transcript shows a subscription until it has expired", () => {
  expect(recordsSubscription(folderWith(result("2026-01-01T00:00:01Z"), { type: "user" }), NOW)).toBe(true);
  expect(recordsSubscription(folderWith(result("2025-12-31T23:59:59Z")), NOW)).toBe(false);
});

test("a transcript that only mentions one, or none at all, shows none", () => {
  expect(recordsSubscription(folderWith({ type: "user", message: { content: "ai.wakeshift/subscription" } }, result(7)), NOW)).toBe(false);
  expect(recordsSubscription(join(folderWith(), "nowhere"), NOW)).toBe(false);
});
