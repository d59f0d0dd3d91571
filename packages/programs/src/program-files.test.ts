import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileReader } from "./program/file-reader.ts";
import { confirm } from "./claude-code/confirm.ts";
import { runningSession } from "./claude-code/session/session-registry.ts";
import { readTail } from "./claude-code/transcript/read-tail.ts";
import { codex } from "./codex/codex.ts";
import { queueHolds } from "./codex/records/queue-store.ts";
import { isNewestTurnExec, rolloutShows } from "./codex/records/read-rollout.ts";
import type { HandedWake } from "./program/program.ts";
import { temporaryFolder } from "./machine/temporary-folder.test.support.ts";
import { readRegularFile } from "./machine/read-regular-file.ts";

const onUnix = process.platform !== "win32";

/** What may lie at a path instead of a file, in a folder of its own. */
function place(kind: string, name: string): { readonly folder: string; readonly path: string } {
  const folder = temporaryFolder();
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  if (kind === "a pipe") execFileSync("mkfifo", [path]);
  else if (kind === "a link to a pipe") {
    execFileSync("mkfifo", [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  } else if (kind === "a device without an end") symlinkSync("/dev/zero", path);
  else if (kind === "a folder") mkdirSync(path);
  return { folder, path };
}

const KINDS = onUnix ? ["a pipe", "a link to a pipe", "a device without an end", "a folder", "nothing"] : ["a folder", "nothing"];

describe.each(KINDS)("where a program's file should be and %s is", (kind) => {
  const wake: HandedWake = { delivery: "d", conversation: "c", text: "", occurrences: ["evt_1"] };
  const state = { conversation: "c", unattended: false, lifecycle: "idle" } as const;

  test("a hook reads nothing and goes on", () => {
    const { path } = place(kind, "transcript");
    expect(readRegularFile(path, 1_000)).toBeUndefined();
    expect(fileReader.readTail(path, 1_000)).toBeUndefined();
  });

  test("Codex's rollout and queue show nothing", async () => {
    const rollout = place(kind, "rollout").path;
    expect([rolloutShows(rollout, { occurrences: ["evt_1"] }), isNewestTurnExec(rollout)]).toEqual([false, false]);
    const { folder } = place(kind, "queue_1.sqlite");
    expect(queueHolds(folder, { occurrences: ["evt_1"] })).toBe(false);
    expect(await codex.confirm?.(wake, { ...state, facts: { rollout, codex_home: folder } })).toBe("unknown");
  });

  test("Claude Code's transcript and session show nothing", async () => {
    const { path } = place(kind, "transcript");
    expect(await readTail(path, 1_000)).toBeUndefined();
    expect(await confirm(wake, { ...state, facts: { transcript: path } })).toBe("unknown");
    expect(runningSession(place(kind, "sessions/7.json").folder, 7)).toBeUndefined();
  });
});

test("the end of a file is read, whole where it is short enough", async () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "0123456789");
  expect([readRegularFile(path, 4)?.toString(), readRegularFile(path, 100)?.toString()]).toEqual(["6789", "0123456789"]);
  expect([fileReader.readTail(path, 4), await readTail(path, 4)]).toEqual(["6789", "6789"]);
});
