import type { EventDefinition } from "../event/event-definition.ts";
import type { CallEngine } from "../call/tool-call.ts";
import type { RequestContext } from "../call/request-context.ts";
import type { AttachOptions } from "./attach-options.ts";
import type { Catalog } from "./catalog.ts";
import type { ServerLike } from "./server-like.ts";
import type { WrappedTools } from "./wrap.ts";

/** One server with Wakeshift attached: what its list and its calls both need. */
export interface Attachment {
  /** Whose calls these are. */
  readonly owner: object;
  readonly server: ServerLike;
  readonly engine: CallEngine;
  readonly options: AttachOptions<RequestContext>;
  readonly wrapped: WrappedTools;
  /** Shared by the instances of the same server. */
  readonly catalog: Catalog;
  /** The app's events, in the order of their definition. */
  readonly events: () => readonly EventDefinition[];
}
