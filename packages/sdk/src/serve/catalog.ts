import type { RequestContext } from "../call/request-context.ts";
import type { ListedTool, ToolFacts } from "../amend/tool-facts.ts";
import { isListedTool, toolFactsOf } from "../amend/tool-facts.ts";
import type { SeamHandler } from "./seam-handler.ts";

const MOST_PAGES = 100;
/** Of a tool that is listed, but whose schemas can't be read. */
const UNREADABLE: ToolFacts = { declares: new Set(), conflict: undefined, outputSchema: undefined, takesBlock: false };

/** What is known of one server's tools, kept across its instances: a server made per request gets calls with no list before them. */
export class Catalog {
  readonly #tools: Map<string, ToolFacts> = new Map();

  /** Notes one page of a listing, and answers what is known of each of its tools. */
  note(tools: readonly unknown[]): void {
    for (const tool of tools) {
      if (!isListedTool(tool)) continue;
      try {
        this.factsOf(tool);
      } catch {
        // It is in the list, and the others' facts are needed all the same.
      }
    }
  }

  known(name: string): ToolFacts | undefined {
    return this.#tools.get(name);
  }

  factsOf(tool: ListedTool): ToolFacts {
    this.#tools.set(tool.name, UNREADABLE);
    const facts = toolFactsOf(tool);
    this.#tools.set(tool.name, facts);
    return facts;
  }

  names(): ReadonlySet<string> {
    return new Set(this.#tools.keys());
  }

  /** The tools have changed: what was known of them is asked anew. */
  forget(): void {
    this.#tools.clear();
  }

  /**
   * What is known of a tool, asking the author's list handler only where nothing is. `undefined`: it isn't listed, or the list
   * can't be had now, which must not fail the call.
   */
  async find(name: string, list: SeamHandler | undefined, context: RequestContext): Promise<ToolFacts | undefined> {
    const known = this.#tools.get(name);
    if (known !== undefined || list === undefined) return known;
    try {
      await this.#listAll(list, context);
    } catch {
      return undefined;
    }
    return this.#tools.get(name);
  }

  async #listAll(list: SeamHandler, context: RequestContext): Promise<void> {
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await list({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, context);
      if (typeof answer !== "object" || answer === null) return;
      const { tools, nextCursor } = answer as { readonly tools?: unknown; readonly nextCursor?: unknown };
      if (Array.isArray(tools)) this.note(tools);
      if (typeof nextCursor !== "string") return;
      cursor = nextCursor;
    }
  }
}
