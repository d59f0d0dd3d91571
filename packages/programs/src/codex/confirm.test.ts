import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { confirm } from "./confirm.ts";

const headingOf = (id: string): string => `[Wakeshift] a.b from A (app_1), occurrence ${id}, subscription sub_1`;

const inTurn = (ids: readonly string[]): string => {
  const content = ids.map((id) => ({ type: "input_text", text: headingOf(id) }));
  return `${JSON.stringify({ type: "response_item", payload: { type: "message", role: "user", content } })}\n`;
};

/** What Codex's own files tell of a wake with two occurrences, as a bridge that has just started asks it. */
async function confirmed(files: Readonly<Record<string, string>>, facts: readonly string[] = ["codex_home", "rollout"]): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), "codex-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const all = { codex_home: home, rollout: join(home, "rollout.jsonl") };
  const known = Object.fromEntries(Object.entries(all).filter(([name]) => facts.includes(name)));
  const wake = { delivery: "d", conversation: "c", text: "", occurrences: ["evt_1", "evt_2"] };
  return confirm(wake, { conversation: "c", unattended: false, lifecycle: "idle", facts: known });
}

const QUEUED = `\0${headingOf("evt_1")} and ${headingOf("evt_2")}\0`;

test.each<[string, unknown, Readonly<Record<string, string>>]>([
  ["a turn shows it", "seen", { "rollout.jsonl": inTurn(["evt_1", "evt_2"]) }],
  ["a turn shows it and the queue still holds it", "seen", { "rollout.jsonl": inTurn(["evt_1", "evt_2"]), "queue_1.sqlite": QUEUED }],
  ["only the queue holds it", "queued", { "rollout.jsonl": "", "queue_1.sqlite": QUEUED }],
  ["only the queue's log holds it", "queued", { "queue_1.sqlite": "", "queue_1.sqlite-wal": QUEUED }],
  ["a turn shows a part of it and the queue holds all", "queued", { "rollout.jsonl": inTurn(["evt_1"]), "queue_1.sqlite": QUEUED }],
  ["the queue holds a part of it", "unknown", { "queue_1.sqlite": `${headingOf("evt_1")} and evt_2` }],
  ["nothing holds it", "unknown", {}],
])("a wake that was under way when the bridge ended, where %s, is %s", async (_what, state, files) => {
  expect(await confirmed(files)).toBe(state);
});

test("a conversation that never said where its Codex keeps things has no queue to look into", async () => {
  expect(await confirmed({ "queue_1.sqlite": QUEUED }, ["rollout"])).toBe("unknown");
});
