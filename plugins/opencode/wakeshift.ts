// Wakeshift's plugin for opencode 1.x. `wakeshift setup opencode` puts it into opencode's plugin folder.
//
// It has no dependency and decides little: it tells the helper process `wakeshift hook opencode attach` which
// conversations are open in this opencode process and which subscriptions a tool result carried, puts the wakes that come
// back into the conversation as a prompt, and reports what it saw of them there. Whatever goes wrong here, opencode goes
// on as if this file weren't there; nothing is ever written to the terminal.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** opencode's answer to a call of its client. */
type Answer<T> = Promise<{ readonly data?: T; readonly error?: Fault }>;
interface Fault {
  readonly name?: string;
  readonly message?: string;
  readonly data?: { readonly message?: string };
}
interface Path {
  readonly path: { readonly id: string };
}

/** As far as it is used here. */
interface Client {
  readonly session: {
    get(request: Path): Answer<SessionInfo>;
    list(): Answer<readonly SessionInfo[]>;
    messages(request: Path & { readonly query: { readonly limit: number } }): Answer<readonly Message[]>;
    promptAsync(request: Path & { readonly body: object }): Answer<unknown>;
  };
  readonly tui?: { showToast?(request: object): Promise<unknown> | undefined };
}
interface SessionInfo {
  readonly id: string;
  readonly parentID?: string;
  readonly time: { readonly updated: number };
}
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly messageID: string;
}
interface MessageInfo {
  readonly id: string;
  readonly role: string;
  readonly parentID?: string;
  readonly agent?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string; readonly variant?: string };
}
interface Message {
  readonly info: MessageInfo;
  readonly parts: readonly Part[];
}
interface Properties {
  readonly sessionID?: string;
  readonly info?: MessageInfo;
  readonly part?: Part;
  readonly error?: Fault;
  readonly status?: { readonly type?: string };
}
interface ProgramEvent {
  readonly type: string;
  readonly properties?: Properties;
}
interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID?: string;
}
interface ToolOutput {
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A wake as the helper hands it over. */
interface Wake {
  readonly delivery: string;
  readonly conversation: string;
  readonly text: string;
  readonly occurrences: readonly string[];
  readonly subscriptions?: readonly (readonly string[])[];
}
type Line = Readonly<Record<string, unknown>>;
interface Helper {
  /** `forced`: also where nothing is subscribed yet. */
  send(line: Line, forced?: boolean): void;
}
type Mode = Pick<MessageInfo, "agent" | "model">;

/** A prompt that was sent, until a message of the conversation holds it. */
interface Waiter {
  readonly wake: Wake;
  found(message: string | undefined): void;
  erred(): void;
}

/** A conversation that is open in this process. */
interface Session {
  readonly id: string;
  client: Client;
  status?: string | undefined;
  /** Occurrences that stand in it; `undefined` until its messages were read. */
  shown: Set<string> | undefined;
  /** Newest messages of this side. */
  readonly asked: Set<string>;
  waiting: readonly Waiter[];
  handed: readonly { readonly message: string; seen(): void }[];
  queue: Promise<unknown>;
  answering: { readonly id: string; readonly to: string | undefined } | undefined;
  mode: Mode | undefined;
  lastMode?: Mode | undefined;
}

/** All of this opencode process. */
interface Shared {
  readonly started: (client: Client) => Promise<void>;
  readonly toolEnded: (client: Client, input: ToolCall, output: ToolOutput | undefined) => Promise<void>;
  readonly messageCame: (
    client: Client,
    input: { readonly sessionID: string },
    output: { readonly message?: MessageInfo } | undefined,
  ) => void;
  readonly eventCame: (client: Client, event: ProgramEvent) => void;
}

interface Hooks {
  readonly "tool.execute.after": (input: ToolCall, output: ToolOutput | undefined) => Promise<void>;
  readonly "chat.message": (input: { readonly sessionID: string }, output: { readonly message?: MessageInfo } | undefined) => Promise<void>;
  readonly event: (about: { readonly event: ProgramEvent }) => Promise<void>;
}

/** `$WAKESHIFT_HOME` of the set-up that wrote this file, where it isn't the usual folder. */
const SET_UP_HOME: string = "";

const META_KEY = "ai.wakeshift/subscription";
const FRAME = "[Wakeshift] ";
/** A wake's first line of each occurrence, as `FRAME_HEADING` in packages/protocol has it. */
const FRAME_HEADING = /\[Wakeshift\] .* \([\w.:-]*\), occurrence ([\w.:-]+), subscription ([\w.:-]*)\s*$/;
/**
 * How long a prompt that was taken may take to stand in the conversation. Long, since a slow start must not be taken for a
 * failure: the prompt would come twice. A wake offered again meanwhile waits behind the first.
 */
const EVIDENCE_MS = 60_000;
/** The same after an error such as a prompt that can't be stored gives. */
const EVIDENCE_AFTER_ERROR_MS = 2_000;
/** Newest messages looked through for wakes that stand there already. */
const HISTORY_MESSAGES = 60;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const MOST_LINES_KEPT = 200;

/** opencode loads a plugin once for each project folder it serves; the helper is one for the whole process. */
const SHARED = Symbol.for("ai.wakeshift/opencode/v1");
const everywhere = globalThis as { [SHARED]?: Shared };

export const Wakeshift = async ({ client }: { readonly client: Client }): Promise<Hooks> => {
  const shared = (everywhere[SHARED] ??= createProcess());
  const quietly =
    <Values extends readonly unknown[]>(work: (...values: Values) => Promise<void> | void) =>
    async (...values: Values): Promise<void> => {
      try {
        await work(...values);
      } catch {
        // opencode must not notice.
      }
    };
  void quietly(shared.started)(client);
  return {
    // Not waited for: a tool's result must not be held up.
    "tool.execute.after": async (input, output) => void quietly(shared.toolEnded)(client, input, output),
    "chat.message": quietly((input: { readonly sessionID: string }, output?: { readonly message?: MessageInfo }) =>
      shared.messageCame(client, input, output),
    ),
    event: quietly(({ event }: { readonly event: ProgramEvent }) => shared.eventCame(client, event)),
  };
};

/** All of this opencode process: its helper and the conversations seen in it. */
function createProcess(): Shared {
  /** Conversations that are open here: session id → what is known of it. */
  const sessions = new Map<string, Session>();
  const parents = new Map<string, string>();
  const helper = createHelper({ onWake: (wake) => void deliver(sessions, helper, wake), onNotice: notify, onStart: retell });
  let anyClient: Client | undefined;

  function sessionOf(id: string, client: Client): Session {
    let session = sessions.get(id);
    if (!session) {
      session = {
        id,
        client,
        shown: undefined,
        asked: new Set(),
        waiting: [],
        handed: [],
        queue: Promise.resolve(),
        answering: undefined,
        mode: undefined,
      };
      sessions.set(id, session);
    }
    session.client = client;
    return session;
  }

  function tell(event: string, input: object, forced?: boolean): void {
    helper.send({ do: "hook", event, input: { ...input, pid: process.pid, unattended: isOneRun() } }, forced);
  }

  /** A new helper knows nothing: which conversations are open here is told again. */
  function retell(): void {
    for (const session of sessions.values()) tell("opened", { sessionID: session.id });
  }

  function notify(text: string): void {
    anyClient?.tui
      ?.showToast?.({ body: { title: "Wakeshift", message: text, variant: "warning", duration: 15_000 } })
      ?.catch(() => undefined);
  }

  async function started(client: Client): Promise<void> {
    anyClient ??= client;
    const opened = await openedByCommandLine(client);
    if (opened === undefined) return;
    sessionOf(opened, client);
    tell("opened", { sessionID: opened });
  }

  async function toolEnded(client: Client, input: ToolCall, output: ToolOutput | undefined): Promise<void> {
    const entries = output?._meta?.[META_KEY];
    if (entries === undefined) return;
    // A sub-agent's conversation ends with its answer: what it subscribed to wakes the one it works for.
    const root = await rootOf(parents, client, input.sessionID);
    sessionOf(root, client);
    const call = { tool: input.tool, sessionID: root, callID: input.callID };
    tell("tool.execute.after", { input: call, output: { _meta: { [META_KEY]: entries } } }, true);
  }

  function messageCame(
    client: Client,
    input: { readonly sessionID: string },
    output: { readonly message?: MessageInfo } | undefined,
  ): void {
    const session = sessionOf(input.sessionID, client);
    keepMode(session, output?.message);
    tell("chat.message", { sessionID: input.sessionID });
  }

  function eventCame(client: Client, event: ProgramEvent): void {
    const { type, properties = {} } = event;
    const id = properties.sessionID ?? properties.info?.id;
    if (id === undefined) return;
    const session = sessions.get(id);
    if (type === "session.created" || type === "session.updated") {
      if (properties.info?.parentID) parents.set(properties.info.id, properties.info.parentID);
    } else if (type === "session.status") {
      const status = properties.status?.type;
      if (session !== undefined && session.status === status) return;
      sessionOf(id, client).status = status;
      tell("session.status", { sessionID: id, status });
    } else if (type === "session.deleted") {
      if (sessions.delete(id)) tell("session.deleted", { sessionID: id });
    } else if (session !== undefined) {
      observe(session, type, properties);
    }
  }

  return { started, toolEnded, messageCame, eventCame };
}

/** The conversation that a sub-agent's one works for. */
async function rootOf(parents: Map<string, string>, client: Client, id: string): Promise<string> {
  let root = id;
  for (let depth = 0; depth < 16; depth += 1) {
    const parent = parents.get(root) ?? (await answerOf(client.session.get({ path: { id: root } })))?.parentID;
    if (!parent) return root;
    parents.set(root, parent);
    root = parent;
  }
  return root;
}

/** Puts one wake into its conversation, and reports `handed` only once it stands there. */
async function deliver(sessions: ReadonlyMap<string, Session>, helper: Helper, wake: Wake): Promise<void> {
  const outcome = (state: string, detail?: string): void =>
    helper.send({ do: "outcome", delivery: wake.delivery, state, ...(detail ? { detail } : {}) });
  const session = sessions.get(wake.conversation);
  if (!session) return outcome("not_now", "the conversation is not open in this process");
  // One after the other, so that a repeated wake is compared with what the earlier one left.
  session.queue = session.queue.then(async () => {
    try {
      const shown = (session.shown ??= await readHistory(session));
      const here = shownOf(wake, shown);
      if (here.length === wake.occurrences.length) return outcome("handed", "stood in the conversation already");
      if (here.length > 0) {
        tellSeen(helper, session, here);
        return outcome("failed", "part of it stands in the conversation already");
      }
      const message = await prompt(session, wake);
      if (message === undefined) return outcome("failed", "opencode took the prompt, but it does not stand in the conversation");
      outcome("handed");
      session.handed = [...session.handed, { message, seen: () => outcome("seen") }];
    } catch (error) {
      outcome("failed", (error instanceof Error ? error.message : String(error)).slice(0, 300));
    }
  });
  await session.queue;
}

/** Sends the prompt and waits until a message of the conversation holds it: opencode answers 204 also where it fails then. */
async function prompt(session: Session, wake: Wake): Promise<string | undefined> {
  let found: (message: string | undefined) => void = () => undefined;
  const evidence = new Promise<string | undefined>((resolve) => (found = resolve));
  const timers: NodeJS.Timeout[] = [];
  const lookAfter = (ms: number): void => {
    const timer = setTimeout(() => void lookFor(session, wake).then(found), ms);
    timer.unref?.();
    timers.push(timer);
  };
  const waiter: Waiter = { wake, found, erred: () => lookAfter(EVIDENCE_AFTER_ERROR_MS) };
  session.waiting = [...session.waiting, waiter];
  lookAfter(EVIDENCE_MS);
  try {
    // Without agent and model opencode takes its defaults: a conversation in plan mode would be switched to building.
    const body = { ...session.mode, parts: [{ type: "text", text: wake.text }] };
    const answer = await session.client.session.promptAsync({ path: { id: session.id }, body });
    if (answer?.error !== undefined) throw new Error(`opencode refused the prompt: ${nameOfError(answer.error)}`);
    return await evidence;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    session.waiting = session.waiting.filter((one) => one !== waiter);
  }
}

async function lookFor(session: Session, wake: Wake): Promise<string | undefined> {
  try {
    for (const { info, parts } of await messagesOf(session)) {
      if (info.role === "user" && holdsAll(occurrencesIn(textOf(parts)), wake)) return info.id;
    }
  } catch {
    // Not found, then.
  }
  return undefined;
}

/** Learns from an event of an open conversation: messages written, errors, the model's answer begun. */
function observe(session: Session, type: string, { info, part, error }: Properties): void {
  if (type === "message.updated" && info?.role === "user") {
    keepMode(session, info);
    // The model may repeat a wake: only a message of this side shows that it stands there.
    session.asked.add(info.id);
    if (session.asked.size > HISTORY_MESSAGES) session.asked.delete([...session.asked][0] ?? "");
  } else if (type === "message.updated" && info?.role === "assistant") {
    session.answering = { id: info.id, to: info.parentID };
  } else if (type === "message.part.updated" && part) {
    observePart(session, part);
  } else if (type === "session.error" && (error?.name ?? "UnknownError") === "UnknownError") {
    // Errors of a turn that runs (aborted, refused by the model's provider) have names of their own.
    for (const waiter of session.waiting) waiter.erred();
  }
}

function observePart(session: Session, part: Part): void {
  if (part.type === "text" && session.asked.has(part.messageID) && part.text?.includes(FRAME)) {
    const here = occurrencesIn(part.text);
    for (const id of here) session.shown?.add(id);
    for (const waiter of session.waiting) if (holdsAll(here, waiter.wake)) waiter.found(part.messageID);
  } else if (part.type === "step-start" && part.messageID === session.answering?.id) {
    // Message ids ascend: an answer to this message or a later one had it in its input.
    const { to = "" } = session.answering;
    const seen = session.handed.filter((one) => one.message <= to);
    session.handed = session.handed.filter((one) => !seen.includes(one));
    for (const one of seen) one.seen();
  }
}

function tellSeen(helper: Helper, session: Session, occurrences: readonly string[]): void {
  helper.send({ do: "hook", event: "seen", input: { sessionID: session.id, occurrences, pid: process.pid, unattended: isOneRun() } });
}

/** Occurrences that stand in the conversation's newest messages, and its mode where no message told it yet. */
async function readHistory(session: Session): Promise<Set<string>> {
  const shown = new Set<string>();
  for (const { info, parts } of await messagesOf(session)) {
    if (info.role !== "user") continue;
    session.lastMode = modeOf(info) ?? session.lastMode;
    for (const id of occurrencesIn(textOf(parts))) shown.add(id);
  }
  session.mode ??= session.lastMode;
  return shown;
}

async function messagesOf(session: Session): Promise<readonly Message[]> {
  const messages = await answerOf(session.client.session.messages({ path: { id: session.id }, query: { limit: HISTORY_MESSAGES } }));
  const isList: boolean = Array.isArray(messages);
  if (messages === undefined || !isList) throw new Error("opencode did not show the conversation's messages");
  return messages;
}

function keepMode(session: Session, info: MessageInfo | undefined): void {
  session.mode = modeOf(info) ?? session.mode;
}

function modeOf(info: MessageInfo | undefined): Mode | undefined {
  if (!info?.agent || !info.model) return undefined;
  const { providerID, modelID, variant } = info.model;
  return { agent: info.agent, model: { providerID, modelID }, ...(variant ? { variant } : {}) };
}

/** What the text frames: occurrences, each with its subscription, since two apps may give one id. Lines from outside don't count. */
function occurrencesIn(text: string): Set<string> {
  const headings = text.split("\n").filter((line) => !line.startsWith("> ") && !line.startsWith("payload: "));
  return new Set(headings.flatMap((line) => FRAME_HEADING.exec(line)?.slice(1, 3).join(" ") ?? []));
}

/** The wake's occurrences that stand in `shown`, what `occurrencesIn` found. */
function shownOf(wake: Wake, shown: ReadonlySet<string>): readonly string[] {
  const all = [...shown];
  return wake.occurrences.filter((id, place) => {
    const subscriptions = wake.subscriptions?.[place];
    return subscriptions ? subscriptions.some((one) => shown.has(`${id} ${one}`)) : all.some((one) => one.startsWith(`${id} `));
  });
}

function holdsAll(shown: ReadonlySet<string>, wake: Wake): boolean {
  return shownOf(wake, shown).length === wake.occurrences.length;
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

async function answerOf<T>(request: Answer<T>): Promise<T | undefined> {
  const { data, error } = await request;
  if (error !== undefined) throw new Error(nameOfError(error));
  return data;
}

function nameOfError(error: Fault | null): string {
  return (error?.data?.message ?? error?.name ?? JSON.stringify(error)).slice(0, 200);
}

/** `opencode run`: it ends with its turn, and nobody sits at it. */
function isOneRun(): boolean {
  return process.argv[2] === "run";
}

/** The conversation that `opencode -s ID` or `opencode -c` opens; the terminal's own choice of one is told to no plugin. */
async function openedByCommandLine(client: Client): Promise<string | undefined> {
  const words = await commandLine();
  if (words.includes("--fork")) return undefined;
  for (const [place, word] of words.entries()) {
    const value = word === "-s" || word === "--session" ? words[place + 1] : /^(?:--session=|-s=?)(ses_.*)$/.exec(word)?.[1];
    if (value !== undefined && /^ses_\w+$/.test(value)) return value;
  }
  if (!words.includes("-c") && !words.includes("--continue")) return undefined;
  const listed = (await answerOf(client.session.list())) ?? [];
  return listed.filter((one) => !one.parentID).sort((one, other) => other.time.updated - one.time.updated)[0]?.id;
}

/** The process's own command line: in the terminal's worker thread `process.argv` doesn't show it. */
async function commandLine(): Promise<readonly string[]> {
  if (process.platform === "linux") return readFileSync("/proc/self/cmdline", "utf8").split("\0");
  if (process.platform === "win32") return process.argv;
  return new Promise((resolve) => {
    execFile("ps", ["-o", "args=", "-p", String(process.pid)], { timeout: 3_000 }, (error, output) =>
      resolve(error ? process.argv : output.trim().split(/\s+/)),
    );
  });
}

/** The helper process: started when there is something for it, started again when it broke, never in the way. */
interface HelperEvents {
  readonly onWake: (wake: Wake) => void;
  readonly onNotice: (text: string) => void;
  readonly onStart: () => void;
}

function createHelper({ onWake, onNotice, onStart }: HelperEvents): Helper {
  let child: ChildProcess | undefined;
  let nextId = 1;
  let pauseMs = SHORTEST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let notBefore = 0;
  /** Lines without an answer yet, told again to the next helper. */
  const open = new Map<number, Line>();

  function send(line: Line, forced = false): void {
    if (!child && !forced && open.size === 0 && !isAnythingLive()) return;
    const id = nextId++;
    const sent = { id, ...line };
    open.set(id, sent);
    if (open.size > MOST_LINES_KEPT) open.delete([...open.keys()][0] ?? id);
    if (child) write(sent);
    else if (timer === undefined) start();
  }

  function write(line: Line): void {
    try {
      child?.stdin?.write(`${JSON.stringify(line)}\n`);
    } catch {
      // Its end is noticed by `ended`.
    }
  }

  function start(): void {
    timer = undefined;
    const launcher = launcherPath();
    if (child || Date.now() < notBefore || !existsSync(launcher)) return;
    const started = spawn(launcher, ["hook", "opencode", "attach"], {
      cwd: homedir(),
      env: { ...process.env, ...(SET_UP_HOME && !process.env["WAKESHIFT_HOME"] ? { WAKESHIFT_HOME: SET_UP_HOME } : {}) },
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
      shell: process.platform === "win32",
    });
    child = started;
    const startedAt = Date.now();
    const ended = (code: number | null): void => {
      if (child !== started) return;
      child = undefined;
      // A launcher whose Node or package is gone leaves with 0: tried again once there is something to tell, not before.
      if (code === 0) return void (notBefore = Date.now() + LONGEST_PAUSE_MS);
      pauseMs = Date.now() - startedAt > LONGEST_PAUSE_MS ? SHORTEST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      timer = setTimeout(start, pauseMs);
      timer.unref?.();
    };
    started.on("error", () => ended(1));
    started.on("exit", ended);
    started.stdin.on("error", () => undefined);
    readLines(started.stdout, receive);
    // None of these may keep opencode from ending.
    for (const handle of [started, started.stdin, started.stdout] as { unref?: () => unknown }[]) handle.unref?.();
    const kept = [...open.values()];
    open.clear();
    onStart();
    for (const line of kept) if (line["do"] === "outcome" || line["event"] !== "opened") send(line);
  }

  function receive(line: Received): void {
    if (line.do === "wake" && line.wake !== undefined) onWake(line.wake);
    else if (line.do === "notice") onNotice(line.text ?? "");
    else if (line.id !== undefined) open.delete(line.id);
  }

  return { send };
}

/** A line of the helper. */
interface Received {
  readonly do?: string;
  readonly id?: number;
  readonly wake?: Wake;
  readonly text?: string;
}

function readLines(stream: Readable, receive: (line: Received) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("error", () => undefined);
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      try {
        receive(JSON.parse(line) as Received);
      } catch {
        // Not a line of ours.
      }
    }
  });
}

function wakeshiftHome(): string {
  if (process.env["WAKESHIFT_HOME"]) return process.env["WAKESHIFT_HOME"];
  if (SET_UP_HOME) return SET_UP_HOME;
  if (process.platform === "win32") return join(process.env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local"), "Wakeshift");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "Wakeshift");
  return join(process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "wakeshift");
}

function launcherPath(): string {
  return join(wakeshiftHome(), "bin", process.platform === "win32" ? "wakeshift.cmd" : "wakeshift");
}

/** Whether any opencode conversation of this machine is subscribed to something: else no helper is needed. */
function isAnythingLive(): boolean {
  try {
    return readdirSync(join(wakeshiftHome(), "live")).some((name) => name.startsWith("opencode-"));
  } catch {
    return false;
  }
}
