import { z } from "zod";
import { readDocument, soundEntries } from "../files/document.ts";
import type { LocalCores } from "./local-cores.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";
import type { TrustDecision, TrustRule, TrustRules } from "./trust-decision.ts";
import { decideTrust, mayContact, withAnswer } from "./trust-decision.ts";

const ruleSchema: z.ZodType<TrustRule> = z.object({ origin: z.string(), app: z.exactOptional(z.string()) });
const documentSchema = z.object({
  v: z.literal(1),
  allowed: z.array(z.unknown()),
  denied: z.array(z.unknown()),
  noticed: z.array(z.unknown()),
});

/** Which cores, and which apps of them, may wake this machine's conversations. */
export class Trust {
  readonly #localCores: LocalCores;
  readonly #document: SavedDocument;
  readonly #noticed: Set<string>;
  #rules: TrustRules;

  constructor(path: string, localCores: LocalCores, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    this.#localCores = localCores;
    this.#rules = {
      allowed: soundEntries(read?.allowed ?? [], ruleSchema),
      denied: soundEntries(read?.denied ?? [], ruleSchema),
      local: [],
    };
    this.#noticed = new Set(soundEntries(read?.noticed ?? [], z.string()));
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, allowed: this.#rules.allowed, denied: this.#rules.denied, noticed: [...this.#noticed] }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  decide(origin: string, app: string): TrustDecision {
    return decideTrust(this.#current(), origin, app);
  }

  /** What holds for apps of the origin that have no answer of their own. */
  decideOthers(origin: string): TrustDecision {
    return decideTrust(this.#current(), origin, "");
  }

  /** Ids of the apps of the origin that have an answer of their own. */
  appsOf(origin: string): readonly string[] {
    return [...this.#rules.allowed, ...this.#rules.denied].flatMap((rule) => (rule.origin === origin ? (rule.app ?? []) : []));
  }

  /** Whether any app of the origin is allowed. */
  mayContact(origin: string): boolean {
    return mayContact(this.#current(), origin);
  }

  /** Whether the origin as a whole is allowed because it was started here. */
  isLocal(origin: string): boolean {
    return this.#localCores.origins().includes(origin);
  }

  localOrigins(): readonly string[] {
    return this.#localCores.origins();
  }

  answer(answer: "allow" | "deny", rule: TrustRule): Promise<boolean> {
    this.#rules = withAnswer(this.#rules, answer, rule);
    this.#noticed.delete(rule.origin);
    return this.#document.save();
  }

  /** true: the user hasn't been told of this origin yet, and now counts as told. */
  claimNotice(origin: string): boolean {
    if (this.#noticed.has(origin)) return false;
    this.#noticed.add(origin);
    void this.#document.save();
    return true;
  }

  #current(): TrustRules {
    return { ...this.#rules, local: this.#localCores.origins() };
  }
}
