import { WakeshiftError } from "@wakeshift/protocol";
import { errorNameOf } from "../log/error-name.ts";
import type { Attachment } from "./attachment.ts";

/** Logs, once for each tool, that it is served as its author made it, since something about it couldn't be read. */
export function tellUnwrapped(attachment: Pick<Attachment, "engine">, tool: string, error: unknown): void {
  // Of the author's own errors only the type is named: a message might hold a secret.
  const detail = WakeshiftError.isInstance(error) ? error.message : errorNameOf(error);
  attachment.engine.log.tellOnce(tool, {
    level: "error",
    code: "amend_failed",
    tool,
    message: `${tool} is served as it is, without what Wakeshift adds: ${detail}`,
  });
}

/** Logs, once for each tool, that its own schema uses one of Wakeshift's names. */
export function tellConflict(attachment: Pick<Attachment, "engine">, tool: string, name: string): void {
  attachment.engine.log.tellOnce(tool, {
    level: "error",
    code: "wrap_arg_conflict",
    tool,
    message: `${tool} is not wrapped, so it can't subscribe: its own schema names ${name}, which is Wakeshift's. Rename it.`,
  });
}
