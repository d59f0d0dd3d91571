import { z } from "zod";
import type { HookPlan, HookReport, Lifecycle } from "../program/program.ts";
import { toolOfResult } from "../program/tool-of-result.ts";

const session = z.string().regex(/^ses_\w{1,64}$/);
const occurrence = z.string().regex(/^[A-Za-z0-9_.:-]{1,256}$/);
const place = { pid: z.number().int().positive().optional(), unattended: z.boolean().optional() };

const ofSession = z.object({ ...place, sessionID: session });
const ofStatus = ofSession.extend({ status: z.string() });
const ofSeen = ofSession.extend({ occurrences: z.array(occurrence).max(1_000) });
const ofTool = z.object({
  ...place,
  input: z.object({ tool: z.string().max(512), sessionID: session }),
  output: z.object({ _meta: z.unknown() }),
});

/** How long the helper listens for a conversation at a stretch; it goes on until the process ends. */
const LISTEN_MS = 24 * 60 * 60_000;

/**
 * Reads what the plugin tells: `opened`, `chat.message`, `session.status`, `session.deleted`, `tool.execute.after`, `seen`.
 * Anything else, and anything of another form, amounts to nothing. A conversation that shows activity in an opencode
 * process is listened for there; one that any other process merely could open is not.
 */
export function readHook(event: string, input: unknown): HookPlan {
  switch (event) {
    case "opened":
      return listening(ofSession.safeParse(input).data, "opened");
    case "chat.message":
      return listening(ofSession.safeParse(input).data, "working");
    case "session.status": {
      const status = ofStatus.safeParse(input).data;
      return listening(status, status?.status === "idle" ? "idle" : "working");
    }
    case "session.deleted":
      return reporting(ofSession.safeParse(input).data, { lifecycle: "closed" });
    case "seen": {
      const seen = ofSeen.safeParse(input).data;
      return reporting(seen, { seen: seen?.occurrences ?? [] });
    }
    case "tool.execute.after":
      return readToolResult(input);
    default:
      return {};
  }
}

interface Told {
  readonly sessionID: string;
  readonly pid?: number | undefined;
  readonly unattended?: boolean | undefined;
}

function readToolResult(input: unknown): HookPlan {
  const call = ofTool.safeParse(input).data;
  if (call === undefined) return {};
  const { _meta: meta } = call.output;
  const results = [{ tool: toolOfResult(call.input.tool, meta), meta }];
  return listening({ ...call, sessionID: call.input.sessionID }, "working", results);
}

function listening(told: Told | undefined, lifecycle: Lifecycle, results: HookReport["results"] = []): HookPlan {
  if (told === undefined) return {};
  const wait = { conversation: told.sessionID, unattended: told.unattended ?? false, maxMs: LISTEN_MS, untilSubscribed: true };
  return { ...reporting(told, { lifecycle, results }), wait: { ...wait, ...(told.pid === undefined ? {} : { pid: told.pid }) } };
}

function reporting(
  told: Told | undefined,
  more: Pick<HookReport, "lifecycle" | "seen"> & { readonly results?: HookReport["results"] },
): HookPlan {
  if (told === undefined) return {};
  const report: HookReport = {
    conversation: told.sessionID,
    unattended: told.unattended ?? false,
    results: [],
    ...(told.pid === undefined ? {} : { pid: told.pid }),
    ...more,
  };
  return { report };
}
