import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const TIMEOUT_MS = 200;
const turns = (): Turns => new Turns({ timeoutMs: TIMEOUT_MS, monotonic: () => performance.now() });
const now = async (): Promise<undefined> => undefined;
const never = (): Promise<never> => new Promise(() => undefined);

test("come one after the other, in the order of asking, though their preparations overlap", async () => {
  const order: string[] = [];
  const asked = turns();
  let ready: (() => void) | undefined;
  const first = asked.take(
    () => new Promise<void>((resolve) => (ready = resolve)),
    async () => {
      order.push("first begins");
      await new Promise((resolve) => setImmediate(resolve));
      order.push("first ends");
    },
  );
  const second = asked.take(
    async () => {
      order.push("second is prepared");
      ready?.();
    },
    async () => void order.push("second"),
  );
  await Promise.all([first, second]);
  expect(order).toEqual(["second is prepared", "first begins", "first ends", "second"]);
});

test("that don't come in time are refused, together, and their work never runs", async () => {
  const asked = turns();
  void asked.take(now, never);
  let ran = 0;
  const others = Array.from({ length: 50 }, () => asked.take(now, async () => (ran += 1)));
  const begun = performance.now();
  for (const settled of await Promise.allSettled(others)) expect(settled).toMatchObject({ reason: { code: "unreachable" } });
  // A hundredth of what fifty would take.
  expect(performance.now() - begun).toBeLessThan((50 * TIMEOUT_MS) / 2);
  expect(asked.pending).toBe(1);
  expect(ran).toBe(0);
});

test("fail with what their preparation or their work throws, seen or not, and the next come nevertheless", async () => {
  const asked = turns();
  const thrown = new Error("no");
  const fails = async (): Promise<never> => Promise.reject(thrown);
  void asked.take(fails, now);
  void asked.take(now, fails);
  await expect(asked.take(fails, now)).rejects.toBe(thrown);
  expect(await asked.take(now, async () => "next")).toBe("next");
  await asked.idle();
  expect(asked.pending).toBe(0);
});

test("are waited for with what follows from them, but no longer than one may take", async () => {
  const asked = turns();
  const done: string[] = [];
  void (async () => {
    await asked.take(now, async () => void done.push("first"));
    await asked.take(now, async () => void done.push("second"));
  })();
  await asked.idle();
  expect(done).toEqual(["first", "second"]);
  void asked.take(never, now);
  await asked.idle();
  expect(asked.pending).toBe(1);
});
