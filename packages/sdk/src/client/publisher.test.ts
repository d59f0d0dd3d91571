import { WakeshiftError } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { LogBook } from "../log/log-book.ts";
import type { AppClient } from "./app-client.ts";
import { createPublisher } from "./publisher.ts";

interface Request {
  readonly deadline: number;
  answer(): void;
  fail(): void;
}

/** A publisher whose requests the test answers, and whose time the test tells. */
function world(): {
  readonly publisher: ReturnType<typeof createPublisher>;
  readonly requests: Request[];
  readonly clock: { now: number };
} {
  const clock = { now: 0 };
  const requests: Request[] = [];
  const client: AppClient = {
    send: (_method, _path, _body, deadline) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new WakeshiftError("unreachable", "The core did not answer in time."));
        requests.push({ deadline, answer: () => resolve({}), fail });
      }),
  } as AppClient;
  const log = new LogBook(() => undefined);
  const manifest = (): { events: [] } => ({ events: [] });
  return { publisher: createPublisher({ client, log, manifest, monotonic: () => clock.now }), requests, clock };
}

test("a call that waits for another's publishing goes on by itself where that one's time is over and its own isn't", async () => {
  const { publisher, requests, clock } = world();
  const first = publisher.published(60_000);
  const second = publisher.published(90_000);
  expect(requests.map(({ deadline }) => deadline)).toEqual([60_000]);
  clock.now = 60_000;
  requests[0]?.fail();
  await expect(first).rejects.toMatchObject({ code: "unreachable" });
  await expect.poll(() => requests.map(({ deadline }) => deadline)).toEqual([60_000, 90_000]);
  requests[1]?.answer();
  await second;
});

test("what fails before its time fails all that waited for it, so that no core is asked once for each of them", async () => {
  const { publisher, requests, clock } = world();
  const all = [60_000, 70_000, 80_000].map((deadline) => publisher.published(deadline));
  clock.now = 10_000;
  requests[0]?.fail();
  for (const one of all) await expect(one).rejects.toMatchObject({ code: "unreachable" });
  expect(requests).toHaveLength(1);
});

test("PC-65 a publishing that never ends, as a runtime leaves one with its request, holds up those that wait for it no longer than a second", async () => {
  const { publisher, requests } = world();
  void publisher.published(60_000);
  const waiting = [publisher.published(60_000), publisher.published(60_000)];
  await expect.poll(() => requests.length, { timeout: 5_000 }).toBe(2);
  requests[1]?.answer();
  await Promise.all(waiting);
  await publisher.published(60_000);
  expect(requests).toHaveLength(2);
});

test("a slow publishing that gets through is enough for those who have begun another meanwhile", async () => {
  const { publisher, requests } = world();
  const first = publisher.published(60_000);
  const second = publisher.published(60_000);
  await expect.poll(() => requests.length, { timeout: 5_000 }).toBe(2);
  requests[0]?.answer();
  await Promise.all([first, publisher.published(60_000)]);
  expect(requests).toHaveLength(2);
  requests[1]?.answer();
  await second;
});
