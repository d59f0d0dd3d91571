import type { Check } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import { cleanLine, isRecord } from "@wakeshift/protocol";

/** What a core at this origin says of itself: ready, or why it takes no emit. `undefined`: no core answers. */
export type AsksCore = (origin: string) => Promise<{ readonly ready: boolean; readonly why: string } | undefined>;

/**
 * The part of `doctor` that says whether a core of this machine answers, and takes emits. One that doesn't is no fault by itself: what a
 * conversation is subscribed at is checked with the bridge's streams, and not named again here.
 *
 * @param missed origins that the bridge's part says are away
 */
export async function checkLocalCores(origins: readonly string[], ask: AsksCore, missed: readonly string[]): Promise<readonly Check[]> {
  const asked = await Promise.all(origins.map(async (origin) => ({ origin, answer: await ask(origin) })));
  const answering = asked.flatMap(({ origin, answer }) => (answer === undefined ? [] : [{ origin, ...answer }]));
  if (answering.length > 0)
    return answering.map(({ origin, ready, why }) => ({
      program: "core",
      check: origin,
      ok: ready,
      detail: ready ? "started on this machine, and ready" : `started on this machine, but it refuses emits: ${why}`,
      fix: ready ? "" : "do what the reason says; the core goes on by itself then",
    }));
  if (origins.some((origin) => missed.includes(origin))) return [];
  const newest = origins.at(-1);
  const detail =
    newest === undefined
      ? "no core was ever started on this machine"
      : origins.length === 1
        ? `${newest} was started on this machine, but doesn't answer now`
        : `${String(origins.length)} were started on this machine, none answers now (the newest: ${newest})`;
  return [{ program: "core", check: "local", ok: true, detail, fix: ownCommand(["dev"]) }];
}

const PATIENCE_MS = 2_000;

/** Asks `/readyz`, which any core answers whoever asks. */
export async function askReadiness(origin: string): ReturnType<AsksCore> {
  try {
    const response = await fetch(`${origin}/readyz`, { redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
    const body: unknown = await response.json();
    if (!isRecord(body)) return undefined;
    if (response.ok) return body["status"] === "ready" ? { ready: true, why: "" } : undefined;
    const { error } = body;
    return isRecord(error) && typeof error["message"] === "string" ? { ready: false, why: cleanLine(error["message"]) } : undefined;
  } catch {
    return undefined;
  }
}
