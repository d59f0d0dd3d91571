import { PROGRAMS } from "@wakeshift/protocol";
import { z } from "zod";
import { readDocument } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";
import type { RefusedTool } from "../local-api.ts";

const MOST_KEPT = 20;
const KEPT_MS = 7 * 86_400_000;
const NAME_CHARACTERS = 200;

const documentSchema = z.object({
  v: z.literal(1),
  tools: z.array(z.object({ program: z.enum(PROGRAMS), called: z.string(), named: z.string(), at: z.iso.datetime() })),
});

/** Subscriptions that were refused because the program called their tool by another name, kept for a week or until one is accepted. */
export class RefusedTools {
  readonly #document: SavedDocument;
  #tools: readonly RefusedTool[];

  constructor(path: string, reports: StateReports) {
    this.#tools = readDocument(path, documentSchema, reports.corrupt)?.tools ?? [];
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, tools: this.#tools }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  all(now: number): readonly RefusedTool[] {
    return this.#tools.filter(({ at }) => now - Date.parse(at) < KEPT_MS);
  }

  refused(tool: RefusedTool): void {
    const [called, named] = [tool.called.slice(0, NAME_CHARACTERS), tool.named.slice(0, NAME_CHARACTERS)];
    const others = this.#tools.filter((one) => one.program !== tool.program || one.called !== called || one.named !== named);
    this.#change([...others, { ...tool, called, named }].slice(-MOST_KEPT));
  }

  /** The tool of this name gave a subscription: whatever stood in between lets it through now. */
  accepted(program: RefusedTool["program"], named: string): void {
    const others = this.#tools.filter((one) => one.program !== program || one.named !== named);
    if (others.length < this.#tools.length) this.#change(others);
  }

  #change(tools: readonly RefusedTool[]): void {
    this.#tools = tools;
    void this.#document.save();
  }
}
