import { describe, expect, test } from "vitest";
import { callerOf, mayUseConversation, unknownSession } from "./session-rule.ts";

const CODEX = { client: "", user_agent: "codex-mcp-client/0.160.0" };

describe("a conversation", () => {
  test.each([
    ["another user's", { user: "ada", client: "c" }, { client: "c", user: "bob" }],
    ["a user's, by nobody", { user: "ada", client: "c" }, { client: "c" }],
    ["nobody's, by a user", { user: undefined, client: "c" }, { client: "c", user: "ada" }],
    ["another client's", { user: "ada", client: "c" }, { client: "d", user: "ada" }],
    ["another recognized program's", callerOf(CODEX), { client: "", user_agent: "claude-code/2.1.0" }],
  ])("may not be used where it is %s (PC-44)", (_whose, conversation, call) => {
    expect(mayUseConversation(conversation, callerOf(call))).toBe(false);
  });

  test("may be used by its own user and program, whatever the model passes as harness", () => {
    expect(mayUseConversation(callerOf({ client: "c", user: "ada" }), callerOf({ client: "c", user: "ada", harness: "x" }))).toBe(true);
    expect(mayUseConversation(callerOf({ ...CODEX, harness: "codex" }), callerOf({ ...CODEX, harness: "claude-code" }))).toBe(true);
    expect(mayUseConversation(callerOf({ client: "", user: " " }), callerOf({ client: "" }))).toBe(true);
    expect(mayUseConversation(undefined, callerOf(CODEX))).toBe(false);
  });
});

test("a call is told of a session key only if it passed one", () => {
  expect(unknownSession({ client: "c" }).message).toMatch(/^This call passed no session key/);
  expect(unknownSession({ client: "c", session: "k" }).message).toMatch(/this session key/);
});
