import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";

const HOLDER = "holder-of-this-test";

interface Taker {
  readonly lines: any[];
  until(condition: (line: any) => boolean, timeoutMs?: number): Promise<any>;
  ack(occurrence: string): void;
  signal(name: NodeJS.Signals): void;
}

function startTaker(url: string, ticket: string): Taker {
  const child = spawn(process.execPath, [join(import.meta.dirname, "core-support/taker.mjs"), url, HOLDER, ticket], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: any[] = [];
  let wakeUp: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    wakeUp();
  });
  return {
    lines,
    until: async (condition, timeoutMs = 40_000) => {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const found = lines.find(condition);
        if (found !== undefined) return found;
        if (Date.now() > deadline) throw new Error(`waited in vain; got ${JSON.stringify(lines)}`);
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          setTimeout(resolve, 50);
        });
      }
    },
    ack: (occurrence) => void child.stdin.write(`${occurrence}\n`),
    signal: (name) => void child.kill(name),
  };
}

const wakes = (taker: Taker): any[] => taker.lines.filter((line) => line.event === "wake");

describe("PC-40 a taker that stands still", () => {
  test.each([{ once: false }, { once: true }])(
    "loses its wake to another after the lease; its late ack changes nothing, and there is no third offer (%o)",
    async ({ once }) => {
      const leaseMs = 4_000;
      const world = await startWorld({ leaseMs });
      const { id, ticket, session } = await subscribe(world.app, { once });
      const first = startTaker(world.url, ticket);
      await first.until((line) => line.event === "ready");
      const emitted = performance.now();
      const occurrence = await emit(world.app);
      await first.until((line) => line.event === "wake");
      first.signal("SIGSTOP");
      const second = startTaker(world.url, ticket);
      await second.until((line) => line.event === "ready");
      expect((await second.until((line) => line.event === "wake")).data.occurrence).toBe(occurrence);
      // Timers may be a moment early.
      expect(performance.now() - emitted).toBeGreaterThan(leaseMs - 50);
      second.ack(occurrence);
      expect(await second.until((line) => line.event === "acked")).toMatchObject({ status: 200, data: { result: "ok" } });
      first.signal("SIGCONT");
      first.ack(occurrence);
      expect(await first.until((line) => line.event === "acked")).toMatchObject({ status: 200, data: { result: "late" } });
      await new Promise((resolve) => setTimeout(resolve, leaseMs + 1_000));
      expect(wakes(second)).toHaveLength(1);
      expect(
        wakes(first)
          .map((line) => line.data.occurrence)
          .every((one) => one === occurrence),
      ).toBe(true);
      expect(wakes(first)).toHaveLength(1);
      const ends = second.lines.filter((line) => line.event === "ended");
      expect(ends).toEqual(
        once ? [{ event: "ended", data: { subscription: id, ticket_id: expect.any(String), reason: "delivered" } }] : [],
      );
      const left = (await world.app.post("/event-subscriptions/list", { call: { client: "codex-mcp-client", session } })).body
        .subscriptions;
      expect(left).toHaveLength(once ? 0 : 1);
      expect(
        (await world.app.post("/events/emit", { name: "crawl.finished", arguments: { job: "a" }, payload: { status: "done" } })).body
          .matched,
      ).toBe(once ? 0 : 1);
    },
  );

  test("a killed taker's wake is offered to the next at once", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const first = startTaker(world.url, ticket);
    await first.until((line) => line.event === "ready");
    const occurrence = await emit(world.app);
    await first.until((line) => line.event === "wake");
    first.signal("SIGKILL");
    const second = startTaker(world.url, ticket);
    expect((await second.until((line) => line.event === "wake")).data.occurrence).toBe(occurrence);
  });
});
