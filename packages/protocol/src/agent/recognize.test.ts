import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callMetaOf } from "./call-meta.ts";
import type { RecognitionFacts } from "./recognition-facts.ts";
import { recognize, recognizeCall } from "./recognize.ts";
import type { RecognizedBy } from "./recognize.ts";

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const EXTENSION = "io.modelcontextprotocol/events";

/** The order of the rules: each fact names another program. */
const ORDER: readonly (readonly [rule: string, by: RecognizedBy, program: string, fact: RecognitionFacts])[] = [
  ["seed-157", "initialize", "codex", { initializeName: "codex-mcp-client" }],
  ["seed-158", "meta_client_info", "opencode", { metaClientName: "opencode" }],
  ["seed-159", "meta_keys", "claude-code", { meta: { "claudecode/toolUseId": "toolu_1" } }],
  ["seed-160", "user_agent", "copilot-cli", { userAgent: "copilot-cli/1.0.102" }],
  ["seed-161", "identify", "cursor", { identifiedClient: "cursor" }],
  ["seed-162", "harness", "gemini-cli", { harness: "gemini-cli" }],
];

function merged(facts: readonly (readonly [string, RecognizedBy, string, RecognitionFacts])[]): RecognitionFacts {
  return Object.assign({}, ...facts.map(([, , , fact]) => fact)) as RecognitionFacts;
}

const withInfo = (name: unknown): Readonly<Record<string, unknown>> => ({ [CLIENT_INFO]: { name, version: "1" } });

describe("recognition", () => {
  it.each(ORDER)("%s: %s tells the program where it is there", (_rule, by, program, fact) => {
    expect(recognize(fact)).toEqual({ native: false, harness: program, by });
  });

  it.each(ORDER.map(([rule, by], place) => ({ rule, by, place })))("$rule: $by counts more than all after it", ({ by, place }) => {
    expect(recognize(merged(ORDER.slice(place)))).toMatchObject({ harness: ORDER[place]?.[2], by });
  });

  it.each(ORDER.flatMap((first, place) => ORDER.slice(place + 1).map((second) => ({ first, second }))))(
    "$first.1 wins over $second.1 alone (seed-157, seed-158, seed-159, seed-160, seed-161, seed-162)",
    ({ first, second }) => {
      expect(recognize({ ...second[3], ...first[3] })).toMatchObject({ harness: first[2], by: first[1] });
    },
  );

  it("knows nothing of a request that tells nothing", () => {
    expect(recognize({})).toEqual({ native: false, by: "nothing" });
    expect(recognize({ meta: { progressToken: 1 }, userAgent: "node" })).toEqual({ native: false, by: "nothing" });
  });

  it.each<readonly [string, RecognitionFacts]>([
    ["claude-code", { userAgent: "claude-code/2.1.332 (cli)" }],
    ["codex", { userAgent: "codex-mcp-client/0.171.0" }],
    ["antigravity", { userAgent: "antigravity/1.5.14" }],
    ["antigravity", { meta: withInfo("antigravity-client") }],
    ["opencode", { userAgent: "opencode/1.18.33" }],
    ["cursor", { userAgent: "Cursor/1.0.0" }],
    ["cursor", { userAgent: "Cursor/3.20.17 (darwin arm64)" }],
    ["copilot-cli", { userAgent: "copilot-cli/1.0.102" }],
  ])("knows %s over stateless HTTP (seed-164)", (program, facts) => {
    expect(recognize(facts)).toMatchObject({ native: false, harness: program });
  });

  it("knows Claude Code by a User-Agent that starts with claude-code/, and only so (seed-165)", () => {
    expect(recognize({ userAgent: "claude-code/2.1.0 (external, cli)" })).toMatchObject({ harness: "claude-code", by: "user_agent" });
    for (const userAgent of ["my-proxy claude-code/2.1.0", "claude-codex/1.0", "claude-code", "claude-cli/2.1.332 (external, sdk-cli)"]) {
      expect(recognize({ userAgent })).toEqual({ native: false, by: "nothing" });
    }
  });

  it("takes any other client's name from identify, as an id (seed-166)", () => {
    expect(recognize({ userAgent: "node", identifiedClient: "Acme Agent (beta)" })).toMatchObject({
      harness: "acme-agent",
      by: "identify",
    });
    expect(recognize({ userAgent: "python-httpx/0.28", identifiedClient: "codex" })).toMatchObject({ harness: "codex", by: "identify" });
  });

  it("lets harness decide only where nothing else tells (seed-162)", () => {
    expect(recognize({ userAgent: "node", harness: "gemini-cli" })).toMatchObject({ harness: "gemini-cli", by: "harness" });
    expect(recognize({ userAgent: "claude-code/2.1.332 (cli)", harness: "codex" })).toMatchObject({ harness: "claude-code" });
  });

  it("reads client info from _meta itself where the caller did not (seed-158)", () => {
    expect(recognize({ meta: withInfo("claude-code") })).toMatchObject({ harness: "claude-code", by: "meta_client_info" });
  });

  it("knows Codex, Claude Code and VS Code by their own _meta keys (seed-159)", () => {
    expect(recognize({ meta: { threadId: "01a22915" } }).harness).toBe("codex");
    expect(recognize({ meta: { "x-codex-turn-metadata": { thread_id: "01a22915" } } }).harness).toBe("codex");
    expect(recognize({ meta: { "claudecode/toolUseId": "toolu_1" } }).harness).toBe("claude-code");
    expect(recognize({ meta: { "vscode.conversationId": "c" }, userAgent: "copilot-cli/1.0.102" }).harness).toBe("vscode");
  });

  it("learns nothing from a name that MCP libraries send by default, nor from an unknown User-Agent", () => {
    expect(recognize({ initializeName: "mcp", userAgent: "opencode/1.18.33" })).toMatchObject({ harness: "opencode", by: "user_agent" });
    expect(recognize({ userAgent: "Mozilla/5.0 (X11) curl/8" }).by).toBe("nothing");
  });

  it("isn't misled or broken by values of the wrong type", () => {
    const meta = { threadId: 7, "claudecode/toolUseId": null, "x-codex-turn-metadata": "x", [CLIENT_INFO]: ["claude-code"] };
    const nothing = { native: false, by: "nothing" };
    expect(recognize({ meta, harness: "" })).toEqual(nothing);
    expect(recognize({ meta: withInfo(3), harness: 4 as unknown as string })).toEqual(nothing);
    expect(recognize({ meta: { [CLIENT_CAPABILITIES]: [EXTENSION] }, initializeCapabilities: "events" })).toEqual(nothing);
    expect(recognize({ meta: JSON.parse('{"__proto__":{"threadId":"x"}}') as Record<string, unknown> })).toEqual(nothing);
  });
});

const DECLARED: Readonly<Record<string, object>> = {
  extension: { extensions: { [EXTENSION]: {} } },
  experimental: { experimental: { [EXTENSION]: {} } },
  "capability of its own": { events: {} },
};

describe("native or not", () => {
  const named = ORDER.map(([, , , fact]) => fact);

  it.each(Object.entries(DECLARED))(
    "a client that declares MCP Events in initialize as %s is native, whatever its name (seed-167, seed-168)",
    (_how, capabilities) => {
      for (const fact of [{}, ...named, merged(ORDER)]) {
        const declared = recognize({ ...fact, initializeCapabilities: capabilities });
        expect(declared).toEqual({ ...recognize(fact), native: true });
      }
    },
  );

  it.each(Object.entries(DECLARED))("so is one that declares it in a request's _meta as %s (seed-167, seed-169)", (_how, capabilities) => {
    for (const fact of [{}, ...named, merged(ORDER)]) {
      const declared = recognize({ ...fact, meta: { ...fact.meta, [CLIENT_CAPABILITIES]: capabilities } });
      expect(declared).toEqual({ ...recognize(fact), native: true });
    }
  });

  it("no name makes a client native but ChatGPT's (seed-167)", () => {
    for (const fact of [...named, merged(ORDER)]) expect(recognize(fact).native).toBe(false);
    for (const facts of [{ initializeName: "openai-mcp" }, { meta: withInfo("openai-mcp (ChatGPT)") }, { userAgent: "openai-mcp/1.0.0" }])
      expect(recognize(facts)).toMatchObject({ native: true, harness: "chatgpt" });
    expect(recognize({ harness: "chatgpt" }).native).toBe(false);
    expect(recognize({ identifiedClient: "openai-mcp" }).native).toBe(false);
  });

  it("other extensions make no client native", () => {
    const others = { extensions: { "io.modelcontextprotocol/tasks": {} }, experimental: { "codex/auth-change": {} }, sampling: {} };
    expect(recognize({ initializeCapabilities: others, meta: { [CLIENT_CAPABILITIES]: others } }).native).toBe(false);
  });
});

describe("a call's facts", () => {
  it("say by which fact the client is named", () => {
    const call = { client: "Codex" };
    expect(recognizeCall(call)).toMatchObject({ harness: "codex", by: "initialize" });
    expect(recognizeCall({ ...call, client_by: "meta_client_info" })).toMatchObject({ harness: "codex", by: "meta_client_info" });
    expect(recognizeCall({ ...call, client_by: "identify", user_agent: "opencode/1" })).toMatchObject({ harness: "opencode" });
    expect(recognizeCall({ client: "", harness: "opencode" })).toMatchObject({ harness: "opencode", by: "harness" });
  });

  it("keep every part of _meta that recognition reads", () => {
    const value = fc.oneof(fc.constantFrom("a", 1, null, {}, { name: "codex" }, { thread_id: "t" }, DECLARED["extension"]));
    const key = fc.constantFrom(
      ...[
        CLIENT_INFO,
        CLIENT_CAPABILITIES,
        "threadId",
        "sessionId",
        "claudecode/toolUseId",
        "vscode.conversationId",
        "x-codex-turn-metadata",
      ],
    );
    fc.assert(
      fc.property(fc.dictionary(key, value), (meta) => {
        expect(recognize({ meta: callMetaOf(meta) })).toEqual(recognize({ meta }));
      }),
    );
  });

  it("hold nothing else of _meta", () => {
    const meta = {
      progressToken: 1,
      threadId: "t",
      "x-codex-turn-metadata": { thread_id: "t", workspaces: { "/home/x": {} } },
      "a/b": "secret",
    };
    expect(callMetaOf(meta)).toEqual({ threadId: "t", "x-codex-turn-metadata": { thread_id: "t" } });
  });
});
