import type { RequestContext } from "../call/request-context.ts";
import type { ListedTool, ToolFacts } from "../amend/tool-facts.ts";
import { isListedTool, toolFactsOf } from "../amend/tool-facts.ts";
import type { SeamHandler } from "./seam-handler.ts";

const MOST_PAGES = 100;
/** A list may differ by who asks, and name its tools anew each time: the longest unlisted are forgotten, and asked for again. */
const MOST_TOOLS = 20_000;
/** Of a tool that is listed, but whose schemas can't be read. */
const UNREADABLE: ToolFacts = { declares: new Set(), conflict: undefined, outputSchema: undefined, takesBlock: false };

/**
 * What is known of one server's tools, kept across its instances: a server made per request gets calls with no list before them.
 * A tool's schemas are read when something depends on them: most tools of a list are nobody's concern.
 */
export class Catalog {
  readonly #listed: Map<string, ListedTool> = new Map();
  readonly #facts: Map<string, ToolFacts> = new Map();

  /** Notes one page of a listing. */
  note(tools: readonly unknown[]): void {
    for (const tool of tools) if (isListedTool(tool)) this.see(tool);
  }

  /** Notes one tool as it is listed now. */
  see(tool: ListedTool): void {
    const { name } = tool;
    this.#facts.delete(name);
    this.#listed.delete(name);
    const [oldest] = this.#listed.size < MOST_TOOLS ? [] : this.#listed.keys();
    if (oldest !== undefined) {
      this.#listed.delete(oldest);
      this.#facts.delete(oldest);
    }
    this.#listed.set(name, tool);
  }

  /** What the list told of a tool. One whose schemas can't be read is known, too. */
  known(name: string): ToolFacts | undefined {
    const facts = this.#facts.get(name);
    const tool = this.#listed.get(name);
    if (facts !== undefined || tool === undefined) return facts;
    try {
      return this.factsOf(tool);
    } catch {
      return UNREADABLE;
    }
  }

  /** Notes a tool, and answers what its schemas tell. @throws where they can't be read */
  factsOf(tool: ListedTool): ToolFacts {
    this.see(tool);
    this.#facts.set(tool.name, UNREADABLE);
    const facts = toolFactsOf(tool);
    this.#facts.set(tool.name, facts);
    return facts;
  }

  names(): ReadonlySet<string> {
    return new Set(this.#listed.keys());
  }

  /** The tools have changed: what was known of them is asked anew. */
  forget(): void {
    this.#listed.clear();
    this.#facts.clear();
  }

  /**
   * What is known of a tool, asking the author's list handler only where nothing is. `undefined`: it isn't listed, or the list
   * can't be had now, which must not fail the call.
   */
  async find(name: string, list: SeamHandler | undefined, context: RequestContext): Promise<ToolFacts | undefined> {
    const known = this.known(name);
    if (known !== undefined || list === undefined) return known;
    try {
      await this.#listAll(list, context);
    } catch {
      return undefined;
    }
    return this.known(name);
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
