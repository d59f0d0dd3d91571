import type { ProgramName } from "@wakeshift/protocol";
import type { Runner } from "./runner.ts";

/** One line of `wakeshift doctor`. */
export interface Check {
  readonly program: string;
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The one command or action that fixes it, "" where all is well. */
  readonly fix: string;
}

export interface SettingsContext {
  readonly env: NodeJS.ProcessEnv;
  /** The user's home directory. */
  readonly userHome: string;
  /** The folder the command runs in: a program's settings may differ by project. */
  readonly folder: string;
  /** `$WAKESHIFT_HOME`. */
  readonly wakeshiftHome: string;
  /** `$WAKESHIFT_HOME/bin/wakeshift`: what hook entries call. Path and bytes of an entry never change across versions. */
  readonly launcher: string;
  /** The folder of static files shipped for this program (`plugins/<name>`). */
  readonly pluginFolder: string;
  readonly platform: NodeJS.Platform;
  /** A file's text, or `undefined` where there is none. */
  read(path: string): string | undefined;
  readonly run: Runner;
  /** Told what is waited for, and for how long at most; the function it answers is called when that is over. Default: nobody is told. */
  readonly waiting?: (what: string, mostMs: number) => () => void;
}

/** One file that set-up writes or takes away. */
export interface FileChange {
  readonly path: string;
  /** `undefined`: the file isn't there. */
  readonly before: string | undefined;
  /** `undefined`: the file is removed. */
  readonly after: string | undefined;
}

/** Something done through the program's own interface, such as trusting a hook. */
export interface SettingsStep {
  /** One sentence shown before the user says yes. */
  readonly description: string;
  /**
   * What the program would write in this step, on top of the plan's files. Asked only where every line is to be shown. Rejects
   * where that can't be known before.
   */
  preview?(): Promise<readonly FileChange[]>;
  /**
   * Run after the files are written. Resolves to what the program wrote, if a removal should give the earlier bytes
   * back. Rejects with a `WakeshiftError` that says what to do by hand.
   */
  apply(): Promise<readonly FileChange[]>;
}

/** What `wakeshift setup PROGRAM` shows and then does. Empty lists: nothing to change. */
export interface SettingsPlan {
  readonly program: ProgramName;
  /** What is added and what it calls, as one sentence without a full stop, for who has to say yes. "": nothing is added. */
  readonly purpose: string;
  readonly files: readonly FileChange[];
  readonly steps: readonly SettingsStep[];
  /** Sentences for the user after it was applied ("start a new session"). */
  readonly notes: readonly string[];
}

/** How a program's settings are changed. Pure but for the reads of the context. */
export interface SettingsMaker {
  /** Whether the program is found on this machine, and where. `fails`: its command is there, and doesn't work. */
  find(context: SettingsContext): Promise<{ readonly found: boolean; readonly fails?: boolean; readonly detail: string }>;
  /** Adds Wakeshift's entries after what is there. Applied twice it changes nothing the second time. */
  install(context: SettingsContext): Promise<SettingsPlan>;
  /**
   * Takes out what `install` added. `applied` is what the last install changed on this machine: a file that still
   * holds those bytes gets its earlier bytes back exactly; an edited one loses only Wakeshift's own entries.
   */
  remove(context: SettingsContext, applied: readonly FileChange[]): Promise<SettingsPlan>;
}

/** What `wakeshift doctor` asks of a program. */
export interface ProgramChecks {
  /**
   * Whether the version that is installed can be woken. Where it can't, the detail says which is there, which is needed
   * and what doesn't work. `doctor` and `setup` both say it.
   */
  checkVersion(context: SettingsContext): Promise<Check>;
  check(context: SettingsContext): Promise<readonly Check[]>;
  /** When the program's own records last changed by a turn, in milliseconds of the wall clock; `undefined` if it has none. */
  lastTurn?(context: SettingsContext): number | undefined;
  /**
   * Whether the program's own records show a subscription that hasn't expired, whoever heard of it. Absent: its records don't
   * hold what a result brought.
   */
  recordsSubscription?(context: SettingsContext, now: number): boolean;
  /** The command that opens a closed conversation, without its id. */
  readonly openWith?: readonly string[];
}

/** What the commands do with one agent program: find it, change its settings, check it. */
export interface ProgramSetup extends SettingsMaker, ProgramChecks {
  readonly name: ProgramName;
}
