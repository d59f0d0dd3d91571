import type { StatusAnswer } from "@wakeshift/bridge";
import type { Check } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import { shownCommand } from "@wakeshift/protocol";

/** What is known about the bridge if none runs. */
export interface BridgeFacts {
  readonly ownVersion: string;
  /** A conversation of this machine has something subscribed or pending. */
  readonly isNeeded: boolean;
  /** The last thing it logged as failed, "" if there is none. */
  readonly lastFault: string;
}

type CoreView = StatusAnswer["cores"][number];

/** The bridge's and the cores' part of `doctor`. A bridge that doesn't run is well as long as nothing is subscribed: a hook starts it. */
export function checkBridge(status: StatusAnswer | undefined, facts: BridgeFacts): readonly Check[] {
  if (status === undefined) return [checkAbsence(facts)];
  const checks: Check[] = [line("process", true, `${String(status.pid)}, since ${status.since}`, "")];
  if (status.version !== facts.ownVersion) {
    const detail = `version ${status.version} runs, version ${facts.ownVersion} is installed`;
    checks.push(line("version", false, detail, ownCommand(["bridge", "--stop"])));
  }
  const waiting = new Map(status.waiting_for_answer.map((one) => [one.origin, one.subscriptions]));
  const isAnswered = ({ origin, allowed }: CoreView): boolean =>
    allowed || !(waiting.has(origin) || status.muted?.some((one) => one.origin === origin) === true);
  for (const core of status.cores.filter(isAnswered)) checks.push(checkCore(core));
  for (const [origin, subscriptions] of waiting) {
    const detail = `${count(subscriptions)}, but it may not wake this machine before you answer`;
    checks.push(line(`core ${origin}`, false, detail, ownCommand(["allow"], [origin])));
  }
  for (const { origin, app, subscriptions } of status.muted ?? []) {
    const check = app === undefined ? `core ${origin}` : `app ${app.id} of ${origin}`;
    const fix = ownCommand(["allow", ...(app === undefined ? [] : ["--app", app.id])], [origin]);
    checks.push(line(check, false, `${count(subscriptions)}, muted since you denied it`, fix));
  }
  for (const path of status.set_aside ?? []) {
    const detail = `a state file couldn't be read, and is set aside as ${path}: what only it held, such as subscriptions, is lost here`;
    checks.push(line("state", false, detail, `have the agents subscribe again, then: ${shownCommand(["rm"], [path])}`));
  }
  return checks;
}

function checkAbsence({ isNeeded, lastFault }: BridgeFacts): Check {
  if (!isNeeded) return line("process", true, "none now, and none needed: a hook starts it when a conversation subscribes", "");
  const why = lastFault === "" ? "" : ` The end of its log: ${lastFault}`;
  return line(
    "process",
    false,
    `none runs, though conversations are subscribed: nothing reaches them.${why}`,
    ownCommand(["bridge", "--start"]),
  );
}

function checkCore(core: CoreView): Check {
  const check = `core ${core.origin}`;
  if (core.subscriptions === 0) return line(check, true, core.connected ? "connected" : "nothing is subscribed there", "");
  if (!core.allowed) return line(check, false, `${count(core.subscriptions)}, but you denied it`, ownCommand(["allow"], [core.origin]));
  if (core.connected && core.held === undefined) return line(check, true, describeWay(core), "");
  return line(check, false, core.detail === "" ? "not connected" : core.detail, fixOf(core));
}

function describeWay({ way, subscriptions }: CoreView): string {
  return way === "poll"
    ? `polling for ${count(subscriptions)}, since something on the way, often a proxy, holds streams back`
    : `streaming ${count(subscriptions)}`;
}

function fixOf({ origin, local, detail, held }: CoreView): string {
  if (held?.because === "unproven")
    return `start that core again: ${ownCommand(["dev"])} (or serve); only if you know what answers there: ${ownCommand(["allow"], [origin])}`;
  if (held !== undefined)
    return `start the core with the database they were made in; if that is gone, end each of them: ${ownCommand(["list"])}, then ${ownCommand(["end", "ID"])}`;
  if (/certificate|self[- ]signed|issuer/i.test(detail)) {
    // A hook that waits starts the bridge again at once, with the environment of its program.
    const stop = ownCommand(["bridge", "--stop"]);
    return `set NODE_EXTRA_CA_CERTS to the file of the CA that signed it where your agent programs are started, start those again, then: ${stop}`;
  }
  if (local) return `start that core again: ${ownCommand(["dev"])} (or serve)`;
  return `wait until that core is back, or: ${ownCommand(["deny"], [origin])}`;
}

function line(check: string, ok: boolean, detail: string, fix: string): Check {
  return { program: "bridge", check, ok, detail, fix };
}

const count = (subscriptions: number): string => `${String(subscriptions)} ${subscriptions === 1 ? "subscription" : "subscriptions"}`;

/** Origins of the cores that are named there as away. */
export function missedCores(status: StatusAnswer | undefined): readonly string[] {
  return status?.cores.filter(isMissed).map((core) => core.origin) ?? [];
}

/** A core nobody is subscribed at isn't contacted, and need not be. */
function isMissed({ allowed, subscriptions, connected, held }: CoreView): boolean {
  return allowed && subscriptions > 0 && (!connected || held !== undefined);
}
