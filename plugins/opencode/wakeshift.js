// Wakeshift's plugin for opencode 1.x. `wakeshift setup opencode` puts it into opencode's plugin folder.
//
// It has no dependency and decides little: it tells the helper process `wakeshift hook opencode attach` which
// conversations are open in this opencode process and which subscriptions a tool result carried, puts the wakes that come
// back into the conversation as a prompt, and reports what it saw of them there. Whatever goes wrong here, opencode goes
// on as if this file weren't there; nothing is ever written to the terminal.

import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** `$WAKESHIFT_HOME` of the set-up that wrote this file, where it isn't the usual folder. */
const SET_UP_HOME = "";

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

export const Wakeshift = async ({ client }) => {
  const shared = (globalThis[SHARED] ??= createProcess());
  const quietly =
    (work) =>
    async (...values) => {
      try {
        await work(...values);
      } catch {
        // opencode must not notice.
      }
    };
  quietly(shared.started)(client);
  return {
    // Not waited for: a tool's result must not be held up.
    "tool.execute.after": async (input, output) => void quietly(shared.toolEnded)(client, input, output),
    "chat.message": quietly((input, output) => shared.messageCame(client, input, output)),
    event: quietly(({ event }) => shared.eventCame(client, event)),
  };
};

/** All of this opencode process: its helper and the conversations seen in it. */
function createProcess() {
  /** Conversations that are open here: session id → what is known of it. */
  const sessions = new Map();
  const parents = new Map();
  const helper = createHelper({ onWake: (wake) => void deliver(sessions, helper, wake), onNotice: notify, onStart: retell });
  let anyClient;

  function sessionOf(id, client) {
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

  function tell(event, input, forced) {
    helper.send({ do: "hook", event, input: { ...input, pid: process.pid, unattended: isOneRun() } }, forced);
  }

  /** A new helper knows nothing: which conversations are open here is told again. */
  function retell() {
    for (const session of sessions.values()) tell("opened", { sessionID: session.id });
  }

  function notify(text) {
    anyClient?.tui?.showToast?.({ body: { title: "Wakeshift", message: text, variant: "warning", duration: 15_000 } })?.catch?.(() => {});
  }

  async function started(client) {
    anyClient ??= client;
    const opened = await openedByCommandLine(client);
    if (opened === undefined) return;
    sessionOf(opened, client);
    tell("opened", { sessionID: opened });
  }

  async function toolEnded(client, input, output) {
    const entries = output?._meta?.[META_KEY];
    if (entries === undefined) return;
    // A sub-agent's conversation ends with its answer: what it subscribed to wakes the one it works for.
    const root = await rootOf(client, input.sessionID);
    sessionOf(root, client);
    const call = { tool: input.tool, sessionID: root, callID: input.callID };
    tell("tool.execute.after", { input: call, output: { _meta: { [META_KEY]: entries } } }, true);
  }

  function messageCame(client, input, output) {
    const session = sessionOf(input.sessionID, client);
    keepMode(session, output?.message);
    tell("chat.message", { sessionID: input.sessionID });
  }

  function eventCame(client, event) {
    const { type, properties = {} } = event;
    const id = properties.sessionID ?? properties.info?.id;
    if (type === "session.created" || type === "session.updated") {
      if (properties.info?.parentID) parents.set(properties.info.id, properties.info.parentID);
    } else if (type === "session.status") {
      const known = sessions.has(id);
      const session = sessionOf(id, client);
      const status = properties.status?.type;
      if (known && session.status === status) return;
      session.status = status;
      tell("session.status", { sessionID: id, status });
    } else if (type === "session.deleted") {
      if (sessions.delete(id)) tell("session.deleted", { sessionID: id });
    } else if (sessions.has(id)) {
      observe(sessions.get(id), helper, type, properties);
    }
  }

  async function rootOf(client, id) {
    let root = id;
    for (let depth = 0; depth < 16; depth += 1) {
      const parent = parents.get(root) ?? (await answerOf(client.session.get({ path: { id: root } })))?.parentID;
      if (!parent) return root;
      parents.set(root, parent);
      root = parent;
    }
    return root;
  }

  return { started, toolEnded, messageCame, eventCame };
}

/** Puts one wake into its conversation, and reports `handed` only once it stands there. */
async function deliver(sessions, helper, wake) {
  const outcome = (state, detail) => helper.send({ do: "outcome", delivery: wake.delivery, state, ...(detail ? { detail } : {}) });
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
      session.handed.push({ message, seen: () => outcome("seen") });
    } catch (error) {
      outcome("failed", String(error?.message ?? error).slice(0, 300));
    }
  });
  await session.queue;
}

/** Sends the prompt and waits until a message of the conversation holds it: opencode answers 204 also where it fails then. */
async function prompt(session, wake) {
  let found;
  const evidence = new Promise((resolve) => (found = resolve));
  const timers = [];
  const lookAfter = (ms) => {
    const timer = setTimeout(() => void lookFor(session, wake).then(found), ms);
    timer.unref?.();
    timers.push(timer);
  };
  const waiter = { wake, found, erred: () => lookAfter(EVIDENCE_AFTER_ERROR_MS) };
  session.waiting.push(waiter);
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

async function lookFor(session, wake) {
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
function observe(session, helper, type, { info, part, error }) {
  if (type === "message.updated" && info?.role === "user") {
    keepMode(session, info);
    // The model may repeat a wake: only a message of this side shows that it stands there.
    session.asked.add(info.id);
    if (session.asked.size > HISTORY_MESSAGES) session.asked.delete(session.asked.values().next().value);
  } else if (type === "message.updated" && info?.role === "assistant") {
    session.answering = { id: info.id, to: info.parentID };
  } else if (type === "message.part.updated" && part) {
    observePart(session, helper, part);
  } else if (type === "session.error" && (error?.name ?? "UnknownError") === "UnknownError") {
    // Errors of a turn that runs (aborted, refused by the model's provider) have names of their own.
    for (const waiter of session.waiting) waiter.erred();
  }
}

function observePart(session, helper, part) {
  if (part.type === "text" && session.asked.has(part.messageID) && part.text?.includes(FRAME)) {
    const here = occurrencesIn(part.text);
    for (const id of here) session.shown?.add(id);
    for (const waiter of session.waiting) if (holdsAll(here, waiter.wake)) waiter.found(part.messageID);
  } else if (part.type === "step-start" && part.messageID === session.answering?.id) {
    // Message ids ascend: an answer to this message or a later one had it in its input.
    const seen = session.handed.filter((one) => one.message <= session.answering.to);
    session.handed = session.handed.filter((one) => !seen.includes(one));
    for (const one of seen) one.seen();
  }
}

function tellSeen(helper, session, occurrences) {
  helper.send({ do: "hook", event: "seen", input: { sessionID: session.id, occurrences, pid: process.pid, unattended: isOneRun() } });
}

/** Occurrences that stand in the conversation's newest messages, and its mode where no message told it yet. */
async function readHistory(session) {
  const shown = new Set();
  for (const { info, parts } of await messagesOf(session)) {
    if (info.role !== "user") continue;
    session.lastMode = modeOf(info) ?? session.lastMode;
    for (const id of occurrencesIn(textOf(parts))) shown.add(id);
  }
  session.mode ??= session.lastMode;
  return shown;
}

async function messagesOf(session) {
  const messages = await answerOf(session.client.session.messages({ path: { id: session.id }, query: { limit: HISTORY_MESSAGES } }));
  if (!Array.isArray(messages)) throw new Error("opencode did not show the conversation's messages");
  return messages;
}

function keepMode(session, info) {
  session.mode = modeOf(info) ?? session.mode;
}

function modeOf(info) {
  if (!info?.agent || !info.model) return undefined;
  const { providerID, modelID, variant } = info.model;
  return { agent: info.agent, model: { providerID, modelID }, ...(variant ? { variant } : {}) };
}

/** What the text frames: occurrences, each with its subscription, since two apps may give one id. Lines from outside don't count. */
function occurrencesIn(text) {
  const headings = text.split("\n").filter((line) => !line.startsWith("> ") && !line.startsWith("payload: "));
  return new Set(headings.flatMap((line) => FRAME_HEADING.exec(line)?.slice(1, 3).join(" ") ?? []));
}

/** The wake's occurrences that stand in `shown`, what `occurrencesIn` found. */
function shownOf(wake, shown) {
  const all = [...shown];
  return wake.occurrences.filter((id, place) => {
    const subscriptions = wake.subscriptions?.[place];
    return subscriptions ? subscriptions.some((one) => shown.has(`${id} ${one}`)) : all.some((one) => one.startsWith(`${id} `));
  });
}

function holdsAll(shown, wake) {
  return shownOf(wake, shown).length === wake.occurrences.length;
}

function textOf(parts) {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

async function answerOf(request) {
  const { data, error } = await request;
  if (error !== undefined) throw new Error(nameOfError(error));
  return data;
}

function nameOfError(error) {
  return String(error?.data?.message ?? error?.name ?? error).slice(0, 200);
}

/** `opencode run`: it ends with its turn, and nobody sits at it. */
function isOneRun() {
  return process.argv[2] === "run";
}

/** The conversation that `opencode -s ID` or `opencode -c` opens; the terminal's own choice of one is told to no plugin. */
async function openedByCommandLine(client) {
  const words = await commandLine();
  if (words.includes("--fork")) return undefined;
  for (const [place, word] of words.entries()) {
    const value = word === "-s" || word === "--session" ? words[place + 1] : /^(?:--session=|-s=?)(ses_.*)$/.exec(word)?.[1];
    if (/^ses_\w+$/.test(value ?? "")) return value;
  }
  if (!words.includes("-c") && !words.includes("--continue")) return undefined;
  const listed = (await answerOf(client.session.list())) ?? [];
  return listed.filter((one) => !one.parentID).sort((one, other) => other.time.updated - one.time.updated)[0]?.id;
}

/** The process's own command line: in the terminal's worker thread `process.argv` doesn't show it. */
async function commandLine() {
  if (process.platform === "linux") return readFileSync("/proc/self/cmdline", "utf8").split("\0");
  if (process.platform === "win32") return process.argv;
  return new Promise((resolve) => {
    execFile("ps", ["-o", "args=", "-p", String(process.pid)], { timeout: 3_000 }, (error, output) =>
      resolve(error ? process.argv : output.trim().split(/\s+/)),
    );
  });
}

/** The helper process: started when there is something for it, started again when it broke, never in the way. */
function createHelper({ onWake, onNotice, onStart }) {
  let child;
  let nextId = 1;
  let pauseMs = SHORTEST_PAUSE_MS;
  let timer;
  let notBefore = 0;
  /** Lines without an answer yet, told again to the next helper. */
  const open = new Map();

  function send(line, forced = false) {
    if (!child && !forced && open.size === 0 && !isAnythingLive()) return;
    const id = nextId++;
    open.set(id, { id, ...line });
    if (open.size > MOST_LINES_KEPT) open.delete(open.keys().next().value);
    if (child) write(open.get(id));
    else if (timer === undefined) start();
  }

  function write(line) {
    try {
      child?.stdin.write(`${JSON.stringify(line)}\n`);
    } catch {
      // Its end is noticed by `ended`.
    }
  }

  function start() {
    timer = undefined;
    const launcher = launcherPath();
    if (child || Date.now() < notBefore || !existsSync(launcher)) return;
    const started = spawn(launcher, ["hook", "opencode", "attach"], {
      cwd: homedir(),
      env: { ...process.env, ...(SET_UP_HOME && !process.env.WAKESHIFT_HOME ? { WAKESHIFT_HOME: SET_UP_HOME } : {}) },
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
      shell: process.platform === "win32",
    });
    child = started;
    const startedAt = Date.now();
    const ended = (code) => {
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
    started.stdin.on("error", () => {});
    readLines(started.stdout, receive);
    // None of these may keep opencode from ending.
    for (const handle of [started, started.stdin, started.stdout]) handle.unref?.();
    const kept = [...open.values()];
    open.clear();
    onStart();
    for (const line of kept) if (line.do === "outcome" || line.event !== "opened") send(line);
  }

  function receive(line) {
    if (line.do === "wake") onWake(line.wake);
    else if (line.do === "notice") onNotice(line.text);
    else if (line.id !== undefined) open.delete(line.id);
  }

  return { send };
}

function readLines(stream, receive) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("error", () => {});
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      try {
        receive(JSON.parse(line));
      } catch {
        // Not a line of ours.
      }
    }
  });
}

function wakeshiftHome() {
  if (process.env.WAKESHIFT_HOME) return process.env.WAKESHIFT_HOME;
  if (SET_UP_HOME) return SET_UP_HOME;
  if (process.platform === "win32") return join(process.env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "Wakeshift");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "Wakeshift");
  return join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "wakeshift");
}

function launcherPath() {
  return join(wakeshiftHome(), "bin", process.platform === "win32" ? "wakeshift.cmd" : "wakeshift");
}

/** Whether any opencode conversation of this machine is subscribed to something: else no helper is needed. */
function isAnythingLive() {
  try {
    return readdirSync(join(wakeshiftHome(), "live")).some((name) => name.startsWith("opencode-"));
  } catch {
    return false;
  }
}
