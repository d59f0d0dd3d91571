import { isNativeClient } from "../call/native-client.ts";
import { isModern } from "../request-context.ts";
import { amendTool } from "../amend/amend-tool.ts";
import type { ListedTool } from "../amend/tool-facts.ts";
import { isListedTool } from "../amend/tool-facts.ts";
import type { Attachment } from "./attachment.ts";
import { isBuiltInTool, listBuiltInTools } from "./built-in-tools.ts";
import type { SeamHandler } from "./seam-handler.ts";
import { tellConflict, tellUnwrapped } from "./tell-unwrapped.ts";

/** The author's list, with the wrapped tools amended and Wakeshift's own tools at its end. */
export function wrapListTools(attachment: Attachment): (inner: SeamHandler) => SeamHandler {
  return (inner) => async (request, context) => {
    const { edition } = attachment.catalog;
    const result = await inner(request, context);
    if (typeof result !== "object" || result === null) return result;
    const { tools, nextCursor } = result as { readonly tools?: unknown; readonly nextCursor?: unknown };
    if (!Array.isArray(tools)) return result;
    const amended: unknown[] = tools.map((tool: unknown) => (isListedTool(tool) ? amendOrLeave(attachment, tool, edition) : tool));
    if (nextCursor === undefined) {
      // The last of several pages: the names of the ones before are in the catalog.
      const names =
        request.params?.["cursor"] === undefined
          ? new Set(tools.filter(isListedTool).map((tool) => tool.name))
          : attachment.catalog.names();
      const isShown = (tool: ListedTool): boolean => tool.name !== "subscribe_events" || !isNativeClient(attachment.initialized(), context);
      amended.push(...ownTools(attachment, names).filter(isShown));
    }
    // The list holds what depends on the events defined so far: no cache in between may keep it.
    return { ...result, tools: amended, ...(isModern(context) ? { ttlMs: 0, cacheScope: "private" } : {}) };
  };
}

/** Whatever is odd about one tool, it must not take the others from the list: it stays as its author lists it. */
function amendOrLeave(attachment: Attachment, tool: ListedTool, edition: number): ListedTool {
  try {
    return amendListed(attachment, tool, edition);
  } catch (error) {
    attachment.catalog.see(tool, edition);
    tellUnwrapped(attachment, tool.name, error);
    return tool;
  }
}

function amendListed(attachment: Attachment, tool: ListedTool, edition: number): ListedTool {
  const events = attachment.wrapped.eventsOf(tool.name);
  if (events === undefined) {
    attachment.catalog.see(tool, edition);
    return tool;
  }
  const facts = attachment.catalog.factsOf(tool, edition);
  if (facts.conflict === undefined) return amendTool(tool, facts, [...events]);
  tellConflict(attachment, tool.name, facts.conflict);
  return tool;
}

/** Runs on a listing's last page, when all names of the author are known. */
function ownTools(attachment: Attachment, names: ReadonlySet<string>): readonly ListedTool[] {
  const { engine, events, wrapped } = attachment;
  for (const name of wrapped.named.filter((each) => !names.has(each))) {
    engine.log.tellOnce(name, {
      level: "warn",
      code: "wrap_unknown_tool",
      tool: name,
      message: `\`wrap\` names ${name}, which this server doesn't list. Is it spelled as in tools/list?`,
    });
  }
  for (const name of [...names].filter(isBuiltInTool)) {
    engine.log.tellOnce(name, {
      level: "warn",
      code: "builtin_name_conflict",
      tool: name,
      message: `This server has a tool ${name} of its own, which stays; Wakeshift's tool of that name isn't served.`,
    });
  }
  return listBuiltInTools(events()).filter((tool) => !names.has(tool.name));
}
