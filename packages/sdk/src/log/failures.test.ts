import { WakeshiftError } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { Failures } from "./failures.ts";
import { LogBook } from "./log-book.ts";
import type { LogEntry } from "./logger.ts";

const gone = (): Promise<never> => Promise.reject(new WakeshiftError("unreachable", "The core doesn't answer."));

function watching(): { readonly failures: Failures; readonly log: LogEntry[] } {
  const log: LogEntry[] = [];
  return { failures: new Failures(new LogBook((entry) => void log.push(entry))), log };
}

test("what fails is told once, and again after it had succeeded", async () => {
  const { failures, log } = watching();
  const emit = { request: "emit", event: "crawl.finished" } as const;
  await expect(failures.watch(emit, gone())).rejects.toThrow("doesn't answer");
  await expect(failures.watch(emit, gone())).rejects.toThrow("doesn't answer");
  expect(log).toMatchObject([{ level: "warn", code: "request_failed", request: "emit", event: "crawl.finished", error: "unreachable" }]);
  expect(await failures.watch(emit, Promise.resolve(1))).toBe(1);
  await expect(failures.watch(emit, gone())).rejects.toThrow("doesn't answer");
  expect(log).toHaveLength(2);
});

test("each event, and each kind of request, is told by itself", async () => {
  const { failures, log } = watching();
  const all = [
    { request: "emit", event: "a.b" },
    { request: "emit", event: "a.c" },
    { request: "end" },
    { request: "forgetUser" },
  ] as const;
  for (const asked of all) await expect(failures.watch(asked, gone())).rejects.toThrow();
  expect(log).toMatchObject(all);
});

test("another reason is told too, so that a request refused before hides no outage", async () => {
  const { failures, log } = watching();
  const end = { request: "end" } as const;
  await expect(failures.watch(end, Promise.reject(new WakeshiftError("bad_request", "No.")))).rejects.toThrow("No.");
  for (let round = 0; round < 2; round += 1) await expect(failures.watch(end, gone())).rejects.toThrow("doesn't answer");
  expect(log).toMatchObject([{ error: "bad_request" }, { error: "unreachable" }]);
});

test("what isn't an error of Wakeshift's is told by its type alone: its message might hold a secret", async () => {
  const { failures, log } = watching();
  await expect(failures.watch({ request: "end" }, Promise.reject(new TypeError("wst_secret")))).rejects.toThrow(TypeError);
  expect(log).toMatchObject([{ error: "TypeError" }]);
  expect(JSON.stringify(log)).not.toContain("wst_secret");
});
