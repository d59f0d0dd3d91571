import type { RequestContext } from "./request-context.ts";
import { metaOf, userAgentOf } from "./request-context.ts";

const EXTENSION = "io.modelcontextprotocol/events";
const CHATGPT = "openai-mcp";

/** What `initialize` told of a client, on servers with sessions. */
export interface InitializedClient {
  readonly name: string | undefined;
  readonly capabilities: unknown;
}

/**
 * Whether a client subscribes by MCP Events itself: it declares the extension, in one of the spellings clients use, or it is
 * ChatGPT. Decided before anything else, whatever the client's name.
 */
export function isNativeClient(initialized: InitializedClient, context: RequestContext): boolean {
  const meta = metaOf(context);
  const info = meta["io.modelcontextprotocol/clientInfo"];
  const names = [initialized.name, isRecord(info) ? info["name"] : undefined, userAgentOf(context)];
  if (names.some((name) => typeof name === "string" && name.toLowerCase().startsWith(CHATGPT))) return true;
  return [initialized.capabilities, meta["io.modelcontextprotocol/clientCapabilities"]].some(declaresEvents);
}

function declaresEvents(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false;
  const { events, extensions, experimental } = capabilities;
  return (
    isRecord(events) ||
    (isRecord(extensions) && isRecord(extensions[EXTENSION])) ||
    (isRecord(experimental) && isRecord(experimental[EXTENSION]))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
