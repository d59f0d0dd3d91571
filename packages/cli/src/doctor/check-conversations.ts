import type { StatusAnswer } from "@wakeshift/bridge";
import { type Check, PROGRAM_SETUPS } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import { shownCommand } from "@wakeshift/protocol";
import { RENAME, describeRefusedTool } from "../show/describe-refused-tool.ts";

type Pending = StatusAnswer["pending"][number];

/**
 * The part of `doctor` about subscribed conversations: wakes that can't reach theirs are failures; a conversation that is closed
 * is none before a wake waits for it. Subscriptions that were refused for the name of their tool are failures, too.
 */
export function checkConversations(status: StatusAnswer | undefined): readonly Check[] {
  if (status === undefined) return [];
  const waiting = status.pending.filter(isFirstOfItsKind).flatMap((wake) => checkWake(wake, status) ?? []);
  const closed = (status.conversations ?? [])
    .filter(({ open }) => !open)
    .filter(({ program, conversation }) => !status.pending.some((wake) => wake.program === program && wake.conversation === conversation))
    .map(({ program, conversation }) => ({
      program,
      check: `conversation ${conversation}`,
      ok: true,
      detail: "subscribed, but closed: its wakes wait until it is open",
      fix: openCommand(program, conversation),
    }));
  const refused = (status.refused_tools ?? []).map((tool) => ({
    program: tool.program,
    check: "tool name",
    ok: false,
    detail: describeRefusedTool(tool),
    fix: RENAME,
  }));
  return [...waiting, ...closed, ...refused];
}

/** What holds back one wake of a conversation holds back the others: it is said once. */
function isFirstOfItsKind(wake: Pending, index: number, all: readonly Pending[]): boolean {
  const isAlike = (other: Pending): boolean =>
    other.program === wake.program &&
    other.conversation === wake.conversation &&
    other.state === wake.state &&
    other.detail === wake.detail;
  return all.findIndex(isAlike) === index;
}

function checkWake(wake: Pending, { settings }: StatusAnswer): Check | undefined {
  const { program, conversation } = wake;
  const budget = settings["wake-budget"];
  const failed = (detail: string, fix: string): Check => ({ program, check: `wake ${wake.occurrence}`, ok: false, detail, fix });
  switch (wake.state) {
    case "conversation_closed":
      return failed(`waits until conversation ${conversation} is open`, openCommand(program, conversation));
    case "over_budget":
      return failed(
        `held back: conversation ${conversation} had its ${String(budget)} wakes of this hour`,
        ownCommand(["set", "wake-budget", String(budget * 2)]),
      );
    case "failed":
      return failed(wake.detail, ownCommand(["status"]));
    case "no_taker":
      return failed(
        `waits for ${program} to ask for it: no hook or plugin of conversation ${conversation} does`,
        `send that conversation a prompt; if the wake still waits then: ${openCommand(program, conversation)}`,
      );
    default:
      return undefined;
  }
}

/** How the user opens a closed conversation again. */
function openCommand(program: string, conversation: string): string {
  const words = PROGRAM_SETUPS.find(({ name }) => name === program)?.openWith;
  return words === undefined ? `open it again in ${program}` : shownCommand(words, [conversation]);
}
