import { isNativeClient as isNative } from "@wakeshift/protocol";
import type { RequestContext } from "../request-context.ts";
import { metaOf, userAgentOf } from "../request-context.ts";

/** What `initialize` told of a client, on servers with sessions. */
export interface InitializedClient {
  readonly name: string | undefined;
  readonly capabilities: unknown;
}

/** Whether a client subscribes by MCP Events itself. */
export function isNativeClient(initialized: InitializedClient, context: RequestContext): boolean {
  return isNative({
    initializeName: initialized.name,
    initializeCapabilities: initialized.capabilities,
    meta: metaOf(context),
    userAgent: userAgentOf(context),
  });
}
