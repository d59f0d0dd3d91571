import { onTestFinished } from "vitest";
import type { HostKind } from "./hosts.ts";
import { inMemory } from "./links.ts";
import { startWakeWorld } from "./wake-world.ts";
import type { WakeWorld } from "./wake-world.ts";

/** The same thing, closed when the running test ends: what was opened last is closed first. */
export function closedAfterTest<Opened extends { close(): unknown }>(opened: Opened): Opened {
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

/** One app with its peer core, for the running test. */
export async function openWakeWorld(): Promise<WakeWorld> {
  return closedAfterTest(await startWakeWorld());
}

/** A client of the server's own line in front of it, for the running test. */
export async function openClient(kind: HostKind, server: any): Promise<any> {
  return closedAfterTest(await inMemory(kind, () => server, kind.startsWith("1.x") ? 1 : 2)).client;
}
