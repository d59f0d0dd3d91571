import type { Check, StatusAnswer } from "@wakeshift/bridge";
import { shownCommand } from "@wakeshift/protocol";

/** The bridge's and the cores' part of `doctor`. A bridge that doesn't run is well: a hook starts it when needed. */
export function checkBridge(status: StatusAnswer | undefined, ownVersion: string): readonly Check[] {
  if (status === undefined) {
    return [
      {
        program: "bridge",
        check: "process",
        ok: true,
        detail: "none now, and none needed: a hook starts it when a conversation subscribes",
        fix: "",
      },
    ];
  }
  const checks: Check[] = [
    { program: "bridge", check: "process", ok: true, detail: `${String(status.pid)}, since ${status.since}`, fix: "" },
  ];
  if (status.version !== ownVersion) {
    checks.push({
      program: "bridge",
      check: "version",
      ok: false,
      detail: `version ${status.version} runs, version ${ownVersion} is installed`,
      fix: "npx wakeshift bridge --stop",
    });
  }
  for (const core of status.cores) {
    const ok = !isMissed(core);
    checks.push({
      program: "bridge",
      check: `core ${core.origin}`,
      ok,
      detail:
        core.connected && core.held === undefined
          ? `streaming ${String(core.subscriptions)} ${core.subscriptions === 1 ? "subscription" : "subscriptions"}`
          : core.detail,
      fix: ok ? "" : fixOf(core),
    });
  }
  for (const waiting of status.waiting_for_answer) {
    checks.push({
      program: "bridge",
      check: `core ${waiting.origin}`,
      ok: false,
      detail: `${String(waiting.subscriptions)} subscribed, but it may not wake this machine yet`,
      fix: shownCommand(["npx", "wakeshift", "allow"], [waiting.origin]),
    });
  }
  for (const { origin, app, subscriptions } of status.muted ?? []) {
    checks.push({
      program: "bridge",
      check: app === undefined ? `core ${origin}` : `app ${app.id} of ${origin}`,
      ok: false,
      detail: `${String(subscriptions)} subscribed, and muted since you denied it`,
      fix: shownCommand(["npx", "wakeshift", "allow", ...(app === undefined ? [] : ["--app", app.id])], [origin]),
    });
  }
  for (const wake of status.pending.filter((each) => each.state === "failed")) {
    checks.push({ program: wake.program, check: `wake ${wake.occurrence}`, ok: false, detail: wake.detail, fix: "npx wakeshift status" });
  }
  return checks;
}

function fixOf({ origin, local, held }: StatusAnswer["cores"][number]): string {
  if (held?.because === "unproven")
    return `start that core again: npx wakeshift dev (or serve); only if you know what answers there: ${shownCommand(["npx", "wakeshift", "allow"], [origin])}`;
  if (held !== undefined)
    return "start the core with the database they were made in; if that is gone, end each of them: npx wakeshift list, then npx wakeshift end ID";
  if (local) return "start that core again: npx wakeshift dev (or serve)";
  return `wait until that core is back, or: ${shownCommand(["npx", "wakeshift", "deny"], [origin])}`;
}

/** Origins of the cores that are named there as away. */
export function missedCores(status: StatusAnswer | undefined): readonly string[] {
  return status?.cores.filter(isMissed).map((core) => core.origin) ?? [];
}

/** A core nobody is subscribed at isn't contacted, and need not be. */
function isMissed({ allowed, subscriptions, connected, held }: StatusAnswer["cores"][number]): boolean {
  return allowed && subscriptions > 0 && (!connected || held !== undefined);
}
