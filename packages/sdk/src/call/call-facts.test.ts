import { recognize, recognizeCall } from "@wakeshift/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { callFactsOf } from "./call-facts.ts";

const name = fc.option(fc.constantFrom("codex-mcp-client", "opencode", "Acme Agent", "mcp", "", "(x)"), { nil: undefined });
const meta = fc.record(
  {
    "io.modelcontextprotocol/clientInfo": fc.oneof(fc.record({ name: fc.constantFrom("claude-code", "mcp", 7) }), fc.constant("x")),
    threadId: fc.constantFrom("t", 5),
    "claudecode/toolUseId": fc.constantFrom("toolu_1", null),
    "x-codex-turn-metadata": fc.constantFrom({ thread_id: "t", workspaces: {} }, "x"),
  },
  { requiredKeys: [] },
);
const userAgent = fc.option(fc.constantFrom("claude-code/2.1.0 (cli)", "Cursor/1.0.0", "node", ""), { nil: undefined });

it("tell a core the same program as the SDK sees, by the same fact, whatever there is to see (seed-157, seed-158, seed-159, seed-160, seed-161, seed-162)", () => {
  fc.assert(
    fc.property(name, name, name, meta, userAgent, (initializeName, client, harness, requestMeta, agent) => {
      const context = { _meta: requestMeta, requestInfo: { headers: { "user-agent": agent } } };
      const facts = callFactsOf(
        {
          tool: "t",
          context,
          initialized: { name: initializeName, capabilities: undefined },
          taken: harness === undefined ? {} : { harness },
        },
        { client },
      );
      const seen = recognize({ initializeName, meta: requestMeta, userAgent: agent, identifiedClient: client, harness });
      expect(recognizeCall(facts)).toEqual(seen);
    }),
    { numRuns: 2_000 },
  );
});

it("hold of `_meta` only what tells the program and the conversation", () => {
  const context = { _meta: { threadId: "t", progressToken: 1, "author/secret": "s" } };
  const facts = callFactsOf({ tool: "t", context, initialized: { name: undefined, capabilities: undefined }, taken: {} }, {});
  expect(facts).toEqual({ client: "", tool: "t", meta: { threadId: "t" } });
});
