/** One answer of the user: all apps of an origin, or one. */
export interface TrustRule {
  readonly origin: string;
  readonly app?: string;
}

export interface TrustRules {
  readonly allowed: readonly TrustRule[];
  readonly denied: readonly TrustRule[];
  /** Origins of cores that `dev` or `serve` started on this machine. */
  readonly local: readonly string[];
}

/** `waiting`: the user hasn't answered, so nothing is contacted. */
export type TrustDecision = "allowed" | "denied" | "waiting";

/**
 * Whether an app of a core may wake this machine's conversations. What is said about one app goes before what is said
 * about its whole origin; a refusal goes before an allowance of the same width.
 */
export function decideTrust(rules: TrustRules, origin: string, app: string): TrustDecision {
  if (names(rules.denied, origin, app)) return "denied";
  if (names(rules.allowed, origin, app)) return "allowed";
  if (names(rules.denied, origin, undefined)) return "denied";
  if (names(rules.allowed, origin, undefined) || rules.local.includes(origin)) return "allowed";
  return "waiting";
}

/** Whether any app of the origin is allowed, so that the core may be contacted at all. */
export function mayContact(rules: TrustRules, origin: string): boolean {
  if (rules.allowed.some((rule) => rule.origin === origin)) return true;
  return rules.local.includes(origin) && !names(rules.denied, origin, undefined);
}

/** The rules after one more answer. The newest counts: one about a whole origin takes the place of all earlier ones about its apps. */
export function withAnswer(rules: TrustRules, answer: "allow" | "deny", rule: TrustRule): TrustRules {
  const others = (list: readonly TrustRule[]): TrustRule[] =>
    list.filter((old) => old.origin !== rule.origin || (rule.app !== undefined && old.app !== rule.app));
  const allowed = others(rules.allowed);
  const denied = others(rules.denied);
  return {
    allowed: answer === "allow" ? [...allowed, rule] : allowed,
    denied: answer === "deny" ? [...denied, rule] : denied,
    local: rules.local,
  };
}

function names(rules: readonly TrustRule[], origin: string, app: string | undefined): boolean {
  return rules.some((rule) => rule.origin === origin && rule.app === app);
}
