import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { OpencodeServer } from "./support/opencode-server.ts";
import type { World } from "./support/world.ts";
import {
  OPENCODE_ENV,
  PATIENCE_MS,
  TEST_MS,
  asked,
  setUpOpencode,
  startOpencode,
  subscribe,
  wakesAmong,
} from "./support/opencode-server.ts";
import { commandLinesOf } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

/** How a wake that hasn't reached its conversation may be shown. */
const NOT_DELIVERED = ["queued", "conversation_closed", "no_taker"];

let world: World;

afterEach(async () => {
  await world.close();
});

async function subscribed(job: string): Promise<{ opencode: OpencodeServer; session: string }> {
  world = await makeWorld("opencode");
  await setUpOpencode(world);
  const opencode = await startOpencode(world);
  const session = await opencode.open();
  await subscribe(world, opencode, session, job);
  return { opencode, session };
}

async function pending(ids: readonly string[]): Promise<readonly { occurrence: string; state: string }[]> {
  return await waitUntil(
    "the wakes to be pending at the bridge",
    async () => {
      const found = (await world.status()).pending.filter((one) => ids.includes(one.occurrence));
      return found.length === ids.length ? found : undefined;
    },
    PATIENCE_MS,
  );
}

function opencodes(): readonly string[] {
  return commandLinesOf(world.dir)
    .map(({ line }) => line)
    .filter((line) => /(^|\/)opencode(\.exe)? /.test(line));
}

describe("a closed opencode", { timeout: TEST_MS }, () => {
  it("has nothing started for it, no status says more than queued, and opened again both occurrences come in one wake, once (PC-24)", async () => {
    const { opencode, session } = await subscribed("closed");
    await opencode.stop("SIGKILL");
    const before = world.model.requests.length;
    const emitted = [];
    for (const pages of [1, 2]) emitted.push(await world.emit({ args: { job: "closed" }, payload: { status: "done", pages } }));
    const ids = emitted.map(({ id }) => id);
    for (const one of await pending(ids)) expect(NOT_DELIVERED).toContain(one.state);
    expect(opencodes()).toEqual([]);

    // Another opencode in the same folder has the conversation in its list, but doesn't open it: nothing comes.
    const again = await startOpencode(world);
    const other = await again.open();
    await again.say(other, "something else");
    await asked(world, "something else");
    await again.idle(other);
    expect(world.model.requests.slice(before).some((request) => ids.some((id) => request.text.includes(id)))).toBe(false);
    expect(wakesAmong(await again.messages(session))).toEqual([]);

    await again.say(session, "where were we");
    for (const id of ids) await asked(world, id);
    await again.idle(session);
    const wakes = wakesAmong(await again.messages(session));
    expect(wakes).toHaveLength(1);
    expect(wakes[0]?.text).toMatch(/^\[Wakeshift\] 2 occurrences\n/);
    for (const id of ids) expect(world.model.timesSeen(id)).toBe(1);
    await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0, PATIENCE_MS);
  });

  it("isn't taken for woken by an opencode on the path that leaves with 0 and does nothing, or one that hangs (PC-24)", async () => {
    const { opencode, session } = await subscribed("standin");
    await opencode.stop("SIGTERM");
    const standIn = join(world.bin, "opencode");
    const ids: string[] = [];
    for (const program of ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexec sleep 300\n"]) {
      writeFileSync(standIn, program);
      chmodSync(standIn, 0o755);
      ids.push((await world.emit({ args: { job: "standin" }, payload: { status: "done" } })).id);
      for (const one of await pending(ids)) expect(NOT_DELIVERED).toContain(one.state);
    }
    rmSync(standIn);
    const again = await startOpencode(world);
    await again.say(session, "back again");
    for (const id of ids) await asked(world, id);
    await again.idle(session);
    for (const id of ids) expect(world.model.timesSeen(id)).toBe(1);
  });

  it("gets its wakes when the terminal opens the conversation by its id, before anything is typed", async () => {
    const { opencode, session } = await subscribed("terminal");
    await opencode.stop();
    const { id } = await world.emit({ args: { job: "terminal" }, payload: { status: "done" } });
    await pending([id]);
    // `script` is the terminal: opencode draws into it, and nothing is typed.
    world.run("script", ["-qfec", `opencode -s ${session}`, "/dev/null"], { env: OPENCODE_ENV, stdin: true });
    await asked(world, id);
    expect(world.model.timesSeen(id)).toBe(1);
  });
});
