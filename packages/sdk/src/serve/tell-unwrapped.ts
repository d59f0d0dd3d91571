import type { Attachment } from "./attachment.ts";

/** Logs, once for each tool, that it is served as its author made it, since something about it couldn't be read. */
export function tellUnwrapped(attachment: Attachment, tool: string, error: unknown): void {
  const detail = error instanceof Error ? error.message : typeof error;
  attachment.engine.log.tellOnce(tool, {
    level: "error",
    code: "amend_failed",
    tool,
    message: `${tool} is served as it is, without what Wakeshift adds: ${detail}`,
  });
}
