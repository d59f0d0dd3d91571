import type { ProgramName } from "@wakeshift/protocol";
import type { ConversationState, HookReport, Lifecycle } from "@wakeshift/programs";
import { isProcessAlive, processTag } from "@wakeshift/programs/machine";

/** A conversation as the bridge keeps it. */
export interface Conversation {
  readonly program: ProgramName;
  readonly conversation: string;
  readonly unattended: boolean;
  readonly lifecycle: Lifecycle;
  readonly pid?: number;
  /** Tells the process from a later one with the same id. */
  readonly pidTag?: string;
  readonly facts: Readonly<Record<string, string>>;
}

const MOST_FACTS = 32;
/** As long as a variable of the environment can be: a program's `PATH` is one. */
export const FACT_CHARACTERS = 131_072;

/** The conversation after one more report. An `opened` without a pid forgets the earlier process. */
export function withReport(
  old: Conversation | undefined,
  program: ProgramName,
  report: HookReport,
  tagOf: (pid: number) => string | undefined,
): Conversation {
  const lifecycle = report.lifecycle ?? old?.lifecycle ?? "working";
  const kept =
    report.lifecycle === "opened" || old?.pid === undefined
      ? {}
      : { pid: old.pid, ...(old.pidTag === undefined ? {} : { pidTag: old.pidTag }) };
  const pid = report.pid === undefined ? kept : withTag(report.pid, tagOf(report.pid));
  const facts = Object.entries({ ...old?.facts, ...report.facts }).slice(0, MOST_FACTS);
  return {
    program,
    conversation: report.conversation,
    unattended: report.unattended,
    lifecycle,
    ...pid,
    facts: Object.fromEntries(facts.map(([name, value]) => [name, value.slice(0, FACT_CHARACTERS)])),
  };
}

function withTag(pid: number, tag: string | undefined): { pid: number; pidTag?: string } {
  return tag === undefined ? { pid } : { pid, pidTag: tag };
}

/** All conversations that have something subscribed or pending. */
export class Conversations {
  readonly #all = new Map<string, Conversation>();

  constructor(conversations: readonly Conversation[]) {
    for (const one of conversations) this.#all.set(conversationKey(one.program, one.conversation), one);
  }

  report(program: ProgramName, report: HookReport): Conversation {
    const key = conversationKey(program, report.conversation);
    const now = withReport(this.#all.get(key), program, report, processTag);
    this.#all.set(key, now);
    return now;
  }

  find(program: string, conversation: string): Conversation | undefined {
    return this.#all.get(conversationKey(program, conversation));
  }

  all(): readonly Conversation[] {
    return [...this.#all.values()];
  }

  remove(program: string, conversation: string): void {
    this.#all.delete(conversationKey(program, conversation));
  }
}

export function conversationKey(program: string, conversation: string): string {
  return `${program}\n${conversation}`;
}

/** Whether the conversation's process runs and it wasn't reported as closed. */
export function isConversationOpen(one: Conversation): boolean {
  if (one.lifecycle === "closed") return false;
  return one.pid === undefined || isProcessAlive(one.pid, one.pidTag);
}

export function conversationState(one: Conversation): ConversationState {
  return {
    conversation: one.conversation,
    unattended: one.unattended,
    lifecycle: one.lifecycle,
    ...(one.pid === undefined ? {} : { pid: one.pid }),
    facts: one.facts,
  };
}
