import type { EventDefinition } from "../event/event-definition.ts";
import type { CallEngine } from "../call/tool-call.ts";
import type { InitializedClient } from "../call/native-client.ts";
import type { RequestContext } from "../request-context.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";
import type { AttachOptions } from "./attach-options.ts";
import type { Catalog } from "./catalog.ts";
import type { WrappedTools } from "./wrap.ts";

/** Wakeshift attached to what serves an author's tools, a server or a runtime of the author's own: what lists and calls both need. */
export interface Attachment {
  /** Whose calls these are. */
  readonly owner: object;
  readonly engine: CallEngine;
  readonly options: AttachOptions<RequestContext>;
  readonly wrapped: WrappedTools;
  /** Shared by the instances of the same server. */
  readonly catalog: Catalog;
  /** The app's events, in the order of their definition. */
  readonly events: () => readonly EventDefinition[];
  /** What `initialize` told of the client that calls now. */
  readonly initialized: () => InitializedClient;
  /** The tool in the registry of what serves it; false: it has none of that name. `undefined`: it keeps no registry. */
  readonly registered: (name: string) => object | false | undefined;
  /** Whether a result that says it succeeded will be refused by whoever gets it next. Asked where the call subscribed. */
  readonly refuses: (facts: ToolFacts | undefined, result: unknown) => boolean;
}
