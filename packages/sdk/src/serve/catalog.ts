import type { RequestContext } from "../request-context.ts";
import type { ListedTool, ToolFacts } from "../amend/tool-facts.ts";
import { isListedTool, toolFactsOf } from "../amend/tool-facts.ts";
import { within } from "../time/within.ts";
import type { SeamHandler } from "./seam-handler.ts";

const MOST_PAGES = 100;
/** Listings for one answer: a list handler may itself tell that the tools have changed. */
const MOST_TIMES = 2;
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
  readonly #timeoutMs: number;
  #edition = 0;

  /** `timeoutMs`: how long the author's list is waited for. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Another number each time the tools have changed. What a listing tells is noted under the edition it was begun in. */
  get edition(): number {
    return this.#edition;
  }

  /** Notes one tool as a listing begun in that edition has it. One that was under way when the tools changed tells nothing. */
  see(tool: ListedTool, edition: number): void {
    if (edition !== this.#edition) return;
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
    return readOrNot(tool, () => this.factsOf(tool, this.#edition));
  }

  /** Notes a tool, and answers what its schemas tell. @throws where they can't be read */
  factsOf(tool: ListedTool, edition: number): ToolFacts {
    if (edition !== this.#edition) return toolFactsOf(tool);
    this.see(tool, edition);
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
    this.#edition += 1;
    this.#listed.clear();
    this.#facts.clear();
  }

  /**
   * What is known of a tool, asking the author's list handler only where nothing is. `undefined`: it isn't listed, or the list
   * can't be had now, or not in time, which must not fail the call.
   */
  async find(name: string, list: SeamHandler | undefined, context: RequestContext): Promise<ToolFacts | undefined> {
    const known = this.known(name);
    if (known !== undefined || list === undefined) return known;
    const over = new AbortController();
    try {
      const listed = await within(this.#look(name, list, context, over.signal), this.#timeoutMs, () => undefined);
      return this.known(name) ?? (listed === undefined ? undefined : readOrNot(listed, toolFactsOf));
    } catch {
      return this.known(name);
    } finally {
      over.abort();
    }
  }

  /** Lists all there is, once more where the tools changed meanwhile; answers the tool of that name. */
  async #look(name: string, list: SeamHandler, context: RequestContext, over: AbortSignal): Promise<ListedTool | undefined> {
    let named: ListedTool | undefined;
    for (let edition = -1, time = 0; time < MOST_TIMES && edition !== this.#edition; time += 1) {
      edition = this.#edition;
      named = undefined;
      for await (const tools of pagesOf(list, context, over)) {
        for (const tool of tools) this.see(tool, edition);
        named ??= tools.find((tool) => tool.name === name);
      }
    }
    return named;
  }
}

/** The pages of a listing, until it is over, or has more of them than any list. */
async function* pagesOf(list: SeamHandler, context: RequestContext, over: AbortSignal): AsyncGenerator<readonly ListedTool[], void> {
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES && !over.aborted; page += 1) {
    const answer = await list({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, context);
    if (typeof answer !== "object" || answer === null) return;
    const { tools, nextCursor } = answer as { readonly tools?: unknown; readonly nextCursor?: unknown };
    if (Array.isArray(tools)) yield (tools as readonly unknown[]).filter(isListedTool);
    if (typeof nextCursor !== "string") return;
    cursor = nextCursor;
  }
}

function readOrNot(tool: ListedTool, read: (tool: ListedTool) => ToolFacts): ToolFacts {
  try {
    return read(tool);
  } catch {
    return UNREADABLE;
  }
}
