import type { Attachment } from "../serve/attachment.ts";
import type { AttachOptions } from "../serve/attach-options.ts";
import type { Share } from "../serve/share.ts";
import { initializedClientIn } from "./tools-context.ts";
import type { ToolsContext } from "./tools-context.ts";

/** Wakeshift attached to tools that the author's own code, or a framework, lists and calls: what all its requests have in common. */
export interface Runtime extends Omit<Attachment, "options" | "initialized"> {
  readonly options: AttachOptions<ToolsContext>;
  readonly declares: Share["declares"];
}

/** The attachment as one request sees it: `identify` gets what the author knows of that request, not our reading of it. */
export function attachmentFor(runtime: Runtime, context: ToolsContext): Attachment {
  const { identify, ...options } = runtime.options;
  const initialized = initializedClientIn(context.clientInfo);
  return {
    ...runtime,
    options: identify === undefined ? options : { ...options, identify: () => identify(context) },
    initialized: () => initialized,
  };
}
