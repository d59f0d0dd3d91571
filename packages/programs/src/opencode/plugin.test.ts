import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FRAME_HEADING } from "@wakeshift/protocol";
import { afterEach, describe, expect, it } from "vitest";

// The real plugin, fed with what a real opencode 1.18.33 gave it (captured/), against a helper process that only records.
// Only opencode's client is stood in for; the plugin in the real program is shown by tests/agents.

const PLUGIN = join(import.meta.dirname, "..", "..", "..", "..", "plugins", "opencode", "dist", "wakeshift.js");
const CAPTURED = join(import.meta.dirname, "captured", "turn-and-wake.ndjson");
const META = "ai.wakeshift/subscription";
const SHARED = Symbol.for("ai.wakeshift/opencode/v1");

type Json = Readonly<Record<string, unknown>>;
type Hooks = Readonly<Record<string, (...values: unknown[]) => Promise<void>>>;
interface Line extends Json {
  readonly id: number;
  readonly do: string;
  readonly event?: string;
  readonly input?: Json;
  readonly state?: string;
  readonly delivery?: string;
}
interface Call {
  readonly hook?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly event?: { readonly type: string; readonly properties: Json };
}

const undo: (() => void)[] = [];

afterEach(() => {
  for (const one of undo.splice(0)) one();
});

/** The capture in order: the turn that subscribes, then the wake's prompt and turn, then a prompt that fails. */
function captured(): { readonly turn: Call[]; readonly wake: Call[]; readonly failure: Call[] } {
  const calls = readFileSync(CAPTURED, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Call);
  const wake = calls.findIndex((call) => call.hook === "chat.message" && JSON.stringify(call).includes("[Wakeshift]"));
  const failure = calls.findIndex((call) => call.event?.type === "session.error");
  return { turn: calls.slice(0, wake), wake: calls.slice(wake, failure), failure: calls.slice(failure) };
}

const wakeText = captured().wake.flatMap((call) => (call.output?.["parts"] ?? []) as { text: string }[])[0]?.text ?? "";

async function until<T>(what: string, probe: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 45_000;
  for (;;) {
    const found = probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface World {
  readonly hooks: Hooks;
  readonly prompts: Json[];
  /** What the plugin told the helper so far. */
  lines(): Line[];
  told(what: string, match: (line: Line) => boolean | undefined): Promise<Line>;
  /** Gives the plugin a line as the helper would. */
  give(line: Json): void;
  play(calls: readonly Call[]): Promise<void>;
  starts(): number;
}

/** A helper that writes what it reads into a file, answers each line, and passes on what the test puts into another. */
const HELPER = `
const fs = require("node:fs");
const folder = process.env.WAKESHIFT_HOME;
fs.appendFileSync(folder + "/starts", process.argv.slice(2).join(" ") + "\\n");
let rest = "", given = 0;
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n"); rest = lines.pop();
  for (const line of lines) { fs.appendFileSync(folder + "/told", line + "\\n"); process.stdout.write(JSON.stringify({ id: JSON.parse(line).id, ok: true }) + "\\n"); }
}).on("end", () => process.exit(0));
setInterval(() => {
  if (fs.existsSync(folder + "/break")) { fs.rmSync(folder + "/break"); process.exit(3); }
  const lines = fs.existsSync(folder + "/give") ? fs.readFileSync(folder + "/give", "utf8").trim().split("\\n") : [];
  for (const line of lines.slice(given)) process.stdout.write(line + "\\n");
  given = lines.length;
}, 5);
`;

async function setup(client: Json = {}, options: { readonly live?: boolean; readonly launcher?: string } = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-plugin-"));
  const before = process.env["WAKESHIFT_HOME"];
  process.env["WAKESHIFT_HOME"] = folder;
  undo.push(() => {
    if (before === undefined) delete process.env["WAKESHIFT_HOME"];
    else process.env["WAKESHIFT_HOME"] = before;
    delete (globalThis as Record<symbol, unknown>)[SHARED];
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "helper.cjs"), HELPER);
  writeFileSync(
    join(folder, "bin", "wakeshift"),
    options.launcher ?? `#!/bin/sh\nexec '${process.execPath}' '${folder}/helper.cjs' "$@"\n`,
  );
  chmodSync(join(folder, "bin", "wakeshift"), 0o700);
  if (options.live === true) {
    mkdirSync(join(folder, "live"));
    writeFileSync(join(folder, "live", "opencode-0123"), "");
  }
  const prompts: Json[] = [];
  const standIn = {
    session: {
      get: () => Promise.resolve({ data: {} }),
      list: () => Promise.resolve({ data: [] }),
      messages: () => Promise.resolve({ data: [] }),
      promptAsync: (request: Json) => {
        prompts.push(request);
        return Promise.resolve({ data: {} });
      },
      ...(client["session"] as Json | undefined),
    },
    ...(client["tui"] === undefined ? {} : { tui: client["tui"] }),
  };
  const { Wakeshift } = (await import(pathToFileURL(PLUGIN).href)) as { Wakeshift: (input: Json) => Promise<Hooks> };
  const hooks = await Wakeshift({ client: standIn });
  const read = (name: string): string[] =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean) : [];
  const lines = (): Line[] => read("told").map((line) => JSON.parse(line) as Line);
  return {
    hooks,
    prompts,
    lines,
    told: (what, match) => until(what, () => lines().find(match)),
    give: (line) => {
      // In one step: the helper may look at any moment.
      writeFileSync(join(folder, "give.new"), `${[...read("give"), JSON.stringify(line)].join("\n")}\n`);
      renameSync(join(folder, "give.new"), join(folder, "give"));
    },
    play: async (calls) => {
      for (const call of calls) {
        if (call.event) await hooks["event"]?.({ event: call.event });
        else await hooks[call.hook === "after" ? "tool.execute.after" : "chat.message"]?.(call.input, call.output);
      }
    },
    starts: () => read("starts").length,
  };
}

const wake = { delivery: "d1", conversation: "ses_captured", text: wakeText, occurrences: ["evt_01"] };

/** A conversation's messages with the wake among them already. */
const standing = [
  {
    info: { id: "msg_1", role: "user", agent: "build", model: { providerID: "p", modelID: "m" } },
    parts: [{ type: "text", text: wakeText }],
  },
];

describe("the opencode plugin on captured input", () => {
  it("starts one helper once a result carries a subscription, and hands it what it needs and no more", async () => {
    const world = await setup();
    await world.play(captured().turn);
    const line = await world.told("the result", (one) => one.event === "tool.execute.after");
    expect(line.input).toMatchObject({
      input: { tool: "crawler_start_crawl", sessionID: "ses_captured", callID: "call_8" },
      pid: process.pid,
      unattended: false,
    });
    const output = line.input?.["output"] as { readonly _meta: Json };
    expect(Object.keys(output)).toEqual(["_meta"]);
    expect(Object.keys(output._meta)).toEqual([META]);
    expect(world.starts()).toBe(1);
  });

  it("starts no helper where nothing of ours came and nothing is subscribed on this machine", async () => {
    const world = await setup();
    const { turn } = captured();
    await world.play(turn.filter((call) => call.hook !== "after"));
    await world.hooks["tool.execute.after"]?.({ tool: "bash", sessionID: "ses_captured" }, { output: "x" });
    expect(world.starts()).toBe(0);
    // And one that would have started by now, had it been asked for, shows that the wait above was long enough.
    await world.play(turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    expect(world.starts()).toBe(1);
  });

  it("tells of a conversation's activity where something is subscribed, each state once", async () => {
    const world = await setup({}, { live: true });
    await world.play(captured().turn.filter((call) => call.hook !== "after"));
    await world.told("the end of the turn", (one) => one.input?.["status"] === "idle");
    const told = world
      .lines()
      .filter((one) => one.event === "session.status")
      .map((one) => one.input?.["status"]);
    expect(told).toEqual(["busy", "idle"]);
    expect(world.lines().some((one) => one.event === "chat.message")).toBe(true);
  });

  it("prompts with the conversation's own agent and model, reports handed when the message stands there and seen when the answer begins (PC-24)", async () => {
    const world = await setup();
    const { turn, wake: shown } = captured();
    await world.play(turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake });
    const prompt = await until("the prompt", () => world.prompts[0]);
    expect(prompt).toEqual({
      path: { id: "ses_captured" },
      body: { agent: "plan", model: { providerID: "fake", modelID: "fake-model" }, parts: [{ type: "text", text: wakeText }] },
    });
    expect(world.lines().some((one) => one.do === "outcome")).toBe(false);
    const answerBegins = shown.findIndex((call) => JSON.stringify(call).includes('"step-start"'));
    await world.play(shown.slice(0, answerBegins));
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ delivery: "d1", state: "handed" });
    expect(world.lines().some((one) => one.state === "seen")).toBe(false);
    await world.play(shown.slice(answerBegins));
    expect(await world.told("seen", (one) => one.state === "seen")).toMatchObject({ do: "outcome", delivery: "d1" });
  });

  it("takes no word of the model for the wake standing there", async () => {
    const world = await setup();
    const { turn, wake: shown } = captured();
    await world.play(turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake });
    await until("the prompt", () => world.prompts[0]);
    const part = { type: "text", text: wakeText, messageID: "msg_229c5591c00200000000000007", sessionID: "ses_captured", id: "prt_1" };
    await world.play([{ event: { type: "message.part.updated", properties: { sessionID: "ses_captured", part } } }]);
    // Had that counted, its outcome would come before what follows it on the pipe.
    await world.play([{ event: { type: "session.status", properties: { sessionID: "ses_captured", status: { type: "retry" } } } }]);
    await world.told("what follows", (one) => one.input?.["status"] === "retry");
    expect(world.lines().some((one) => one.do === "outcome")).toBe(false);
    await world.play(shown);
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ state: "handed" });
  });

  it("reports a refused prompt as failed, never as handed", async () => {
    const world = await setup({
      session: { promptAsync: () => Promise.resolve({ error: { name: "NotFoundError", data: { message: "Session not found" } } }) },
    });
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake });
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({
      delivery: "d1",
      state: "failed",
      detail: expect.stringContaining("Session not found") as string,
    });
  });

  it("reports a prompt that was taken with 204 but stands nowhere as failed (PC-27)", async () => {
    const world = await setup();
    const { turn, failure } = captured();
    await world.play(turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake });
    await until("the prompt", () => world.prompts[0]);
    await world.play(failure);
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ delivery: "d1", state: "failed" });
  });

  it("prompts no second time for a wake that stands in the conversation already", async () => {
    const world = await setup({ session: { messages: () => Promise.resolve({ data: standing }) } });
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake });
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ state: "handed" });
    expect(world.prompts).toEqual([]);
  });

  it.each([
    ["a user's text holds its id, such as the 42 that an author chose", "The answer is 42.", { occurrences: ["42"] }],
    ["another app's wake with the same id stands there", wakeText, { subscriptions: [["sub_other"]] }],
  ])("prompts with a wake although %s", async (_what, text, changes) => {
    const messages = standing.map((message) => ({ ...message, parts: [{ type: "text", text }] }));
    const world = await setup({ session: { messages: () => Promise.resolve({ data: messages }) } });
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake: { ...wake, ...changes } });
    await until("the prompt", () => world.prompts.length > 0);
    expect(world.lines().filter((one) => one.do === "outcome")).toEqual([]);
  });

  it("looks for the heading that the frame has", () => {
    expect(readFileSync(PLUGIN, "utf8")).toContain(`const FRAME_HEADING = ${String(FRAME_HEADING)};`);
  });

  it("tells which part of a wake stands in the conversation already, and leaves the rest to a new one", async () => {
    const world = await setup({ session: { messages: () => Promise.resolve({ data: standing }) } });
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake: { ...wake, occurrences: ["evt_01", "evt_02"] } });
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ state: "failed" });
    expect((await world.told("seen", (one) => one.event === "seen")).input).toMatchObject({
      sessionID: "ses_captured",
      occurrences: ["evt_01"],
    });
    expect(world.prompts).toEqual([]);
  });

  it("refuses a wake for a conversation that isn't open in this process (PC-27)", async () => {
    const world = await setup();
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "wake", wake: { ...wake, conversation: "ses_other" } });
    expect(await world.told("an outcome", (one) => one.do === "outcome")).toMatchObject({ state: "not_now" });
    expect(world.prompts).toEqual([]);
  });

  it("shows a notice of the bridge through opencode's own means", async () => {
    const toasts: Json[] = [];
    const showToast = (toast: Json): Promise<unknown> => Promise.resolve(toasts.push(toast));
    const world = await setup({ tui: { showToast } });
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    world.give({ do: "notice", text: "A core waits for your answer." });
    const toast = await until("the notice", () => toasts[0]);
    expect(toast).toMatchObject({ body: { title: "Wakeshift", message: "A core waits for your answer." } });
  });

  it("binds what a sub-agent subscribed to the conversation it works for", async () => {
    const world = await setup({
      session: {
        get: ({ path }: { path: { id: string } }) => Promise.resolve({ data: path.id === "ses_captured" ? { parentID: "ses_root" } : {} }),
      },
    });
    await world.play(captured().turn);
    const line = await world.told("the result", (one) => one.event === "tool.execute.after");
    expect(line.input?.["input"]).toMatchObject({ sessionID: "ses_root" });
  });

  it("starts a helper that broke again and tells it what is open", async () => {
    const world = await setup();
    await world.play(captured().turn);
    await world.told("the result", (one) => one.event === "tool.execute.after");
    const before = world.lines().length;
    writeFileSync(join(process.env["WAKESHIFT_HOME"] ?? "", "break"), "");
    await until("a second start", () => world.starts() === 2);
    const again = await until("what is open", () =>
      world
        .lines()
        .slice(before)
        .find((one) => one.event === "opened"),
    );
    expect(again.input).toMatchObject({ sessionID: "ses_captured" });
  });

  it("leaves opencode working where the launcher is missing, leaves at once, or can't be run", async () => {
    for (const launcher of ["#!/bin/sh\nexit 0\n", "#!/nonexistent/shell\n", "#!/bin/sh\nexit 7\n"]) {
      const world = await setup({}, { launcher });
      await expect(world.play([...captured().turn, ...captured().failure])).resolves.toBeUndefined();
      for (const one of undo.splice(0)) one();
    }
  });

  it("takes any input without a throw", async () => {
    const world = await setup({}, { live: true });
    for (const odd of [undefined, null, 7, "x", {}, { event: null }, { event: { type: "session.status" } }]) {
      for (const hook of Object.values(world.hooks)) await expect(hook(odd, odd)).resolves.toBeUndefined();
    }
  });
});
