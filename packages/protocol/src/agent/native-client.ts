import type { RecognitionFacts } from "./recognition-facts.ts";
import { isRecord } from "../json/is-record.ts";
import { metaClientNameOf } from "./recognition-facts.ts";

const EXTENSION = "io.modelcontextprotocol/events";
const CHATGPT = "openai-mcp";

/**
 * Whether a client subscribes by MCP Events itself: it declares the extension, in `initialize` or in a request's `_meta`, in one
 * of the spellings clients use, or it is ChatGPT. Decided before the program is recognized, whatever the client's name.
 */
export function isNativeClient(facts: RecognitionFacts): boolean {
  const names = [facts.initializeName, metaClientNameOf(facts), facts.userAgent];
  if (names.some((name) => typeof name === "string" && name.toLowerCase().startsWith(CHATGPT))) return true;
  return [facts.initializeCapabilities, facts.meta?.["io.modelcontextprotocol/clientCapabilities"]].some(declaresEvents);
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
