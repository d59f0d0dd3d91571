import type { LastWake, StatusAnswer } from "@wakeshift/bridge";
import { ownCommand } from "@wakeshift/programs/machine";
import { cleanLine } from "@wakeshift/protocol";
import { table } from "../table.ts";
import { describeAgo } from "./describe-ago.ts";
import { RENAME, describeRefusedTool } from "./describe-refused-tool.ts";
import { describeSettings } from "./describe-settings.ts";

const PENDING_WORDS: Readonly<Record<StatusAnswer["pending"][number]["state"], string>> = {
  queued: "queued",
  leased: "handed over, not confirmed yet",
  conversation_closed: "waits until the conversation is opened",
  over_budget: "held back: the conversation had its wakes for this hour",
  failed: "the program refused it; it is tried again",
  no_taker: "waits for the program to ask",
  muted: "muted: you denied its core or app",
};

/** The bridge's state as a person reads it: cores first, then what waits for an answer, what is on its way, what arrived last, and the settings. */
export function formatStatus(status: StatusAnswer, now: number, hooks: HookFacts): string {
  const parts = [`Bridge ${status.version}, process ${String(status.pid)}, since ${status.since}`];
  parts.push(
    status.cores.length === 0
      ? `No core yet: nothing on this machine is subscribed. ${whyNoReport(hooks)}`
      : table(
          status.cores.map((core) => [
            `  ${core.origin}`,
            describeConnection(core),
            `${String(core.subscriptions)} subscribed`,
            core.detail,
          ]),
        ),
  );
  for (const waiting of status.waiting_for_answer) {
    parts.push(
      `${cleanLine(`Waiting for your answer: ${waiting.origin} (${waiting.apps.join(", ")}), ${String(waiting.subscriptions)} subscribed.`)}\n` +
        `  ${ownCommand(["allow"], [waiting.origin])}   or   ${ownCommand(["deny"], [waiting.origin])}`,
    );
  }
  for (const { origin, app, subscriptions } of status.muted ?? []) {
    const what = app === undefined ? origin : `${app.name} (${app.id}) of ${origin}`;
    const option = app === undefined ? [] : ["--app", app.id];
    parts.push(
      `${cleanLine(`Muted, since you denied it: ${what}, ${String(subscriptions)} subscribed.`)}\n` +
        `  ${ownCommand(["allow", ...option], [origin])}`,
    );
  }
  if (status.pending.length > 0) {
    const rows = status.pending.map((wake) => [
      `  ${wake.occurrence}`,
      `${wake.program} ${wake.conversation}`,
      wake.state === "failed" && wake.detail !== "" ? `${PENDING_WORDS.failed}: ${wake.detail}` : PENDING_WORDS[wake.state],
    ]);
    parts.push(`On their way:\n${table(rows)}`);
  }
  for (const tool of status.refused_tools ?? []) parts.push(`Refused: ${describeRefusedTool(tool)}.\n  To get it: ${RENAME}.`);
  if (status.unsent_acks > 0) parts.push(`${String(status.unsent_acks)} acks wait for their core.`);
  parts.push(describeLastWake(status.last_wake, now));
  parts.push(`Settings (\`${ownCommand(["set"])}\` changes one):\n${describeSettings(status.settings)}`);
  return parts.join("\n");
}

/** What this machine's files say about the hooks that report subscriptions. */
export interface HookFacts {
  /** `setup` has connected a program. */
  readonly isSetUp: boolean;
  /** The launcher that hooks call is there. */
  readonly hasLauncher: boolean;
}

/** That no bridge runs: a failure if something is subscribed. */
export function describeAbsence(isSubscribed: boolean, hooks: HookFacts): string {
  if (!isSubscribed) return `The bridge isn't running: nothing on this machine is subscribed. ${whyNoReport(hooks)}`;
  return `The bridge isn't running, though conversations are subscribed: nothing reaches them. \`${ownCommand(["bridge", "--start"])}\` starts it.`;
}

/** Why a subscription isn't known here, as far as files show it. For what they don't show, doctor asks the programs. */
function whyNoReport({ isSetUp, hasLauncher }: HookFacts): string {
  const setUp = `\`${ownCommand(["setup"])}\``;
  if (!isSetUp) return `No agent program was connected with ${setUp}: without its hooks no conversation can be woken.`;
  if (!hasLauncher) return `The launcher that hooks call is gone, so none can report: ${setUp} puts it back.`;
  return `If a conversation has subscribed, \`${ownCommand(["doctor"])}\`, run in the folder where its program runs, says why it isn't here.`;
}

function describeConnection({ connected, allowed, way }: StatusAnswer["cores"][number]): string {
  if (!connected) return allowed ? "not connected" : "not allowed";
  if (way === undefined) return "connected";
  return way === "stream" ? "connected by stream" : "connected by polling, since streams are held back on the way";
}

/** When the newest wake reached its conversation, from whom, and whether a turn showed it. */
export function describeLastWake(last: LastWake | undefined, now: number): string {
  if (last === undefined) return "Last wake: none yet on this machine.";
  const what = last.event === "" ? "" : `${last.event} from ${last.app.name}, `;
  const whither = last.state === "seen" ? "a turn of it showed it" : "handed over, not yet seen in a turn";
  return [
    `Last wake: ${describeAgo(now - Date.parse(last.at))} (${last.at})`,
    cleanLine(`  ${what}to ${last.program} ${last.conversation}: ${whither}`),
    `  ${ownCommand(["show"], [last.occurrence])}   shows it whole`,
  ].join("\n");
}
