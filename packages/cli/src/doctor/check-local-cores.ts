import { ownCommand, type Check } from "@wakeshift/bridge";

/** Whether a core answers at this origin. */
export type AsksCore = (origin: string) => Promise<boolean>;

/**
 * The part of `doctor` that says whether a core of this machine answers. One that doesn't is no fault by itself: what a
 * conversation is subscribed at is checked with the bridge's streams, and not named again here.
 *
 * @param missed origins that the bridge's part says are away
 */
export async function checkLocalCores(origins: readonly string[], ask: AsksCore, missed: readonly string[]): Promise<readonly Check[]> {
  const asked = await Promise.all(origins.map(async (origin) => ({ origin, answers: await ask(origin) })));
  const answering = asked.filter((one) => one.answers);
  if (answering.length > 0)
    return answering.map(({ origin }) => ({
      program: "core",
      check: origin,
      ok: true,
      detail: "started on this machine, and answers",
      fix: "",
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

/** Asks `/healthz`, which says nothing but that a core is there. */
export async function answersHealth(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/healthz`, { redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
    return response.ok && ((await response.json()) as { readonly status?: unknown } | null)?.status === "ok";
  } catch {
    return false;
  }
}
