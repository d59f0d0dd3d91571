import { expect, it } from "vitest";
import { callMetaOf } from "./call-meta.ts";

it("lets only the keys that recognition reads leave the author's server", () => {
  const meta = {
    threadId: "t",
    sessionId: undefined,
    progressToken: 7,
    "vscode.conversationId": null,
    "x-codex-turn-metadata": { thread_id: "t", cwd: "/home/ada/secret", turn_trigger: undefined, thread_source: "cli" },
  };
  expect(callMetaOf(meta)).toStrictEqual({
    threadId: "t",
    "vscode.conversationId": null,
    "x-codex-turn-metadata": { thread_id: "t", thread_source: "cli" },
  });
  expect(callMetaOf({ "x-codex-turn-metadata": "a text" })).toStrictEqual({});
  expect(callMetaOf(Object.create({ threadId: "inherited" }) as Record<string, unknown>)).toStrictEqual({});
});
