import type { Access } from "@wakeshift/protocol";

/** Which SDK published a manifest. */
export interface PublishingSdk {
  readonly language: string;
  readonly version: string;
}

/** The first version of each SDK in which an event that declares nothing is tools-only. */
const FIRST_WITH_RULE: ReadonlyMap<string, readonly [major: number, minor: number]> = new Map([
  ["typescript", [0, 11]],
  ["python", [0, 10]],
  ["go", [0, 10]],
]);

/** Tells whether a manifest comes from an SDK that knows the access rule. None named: no. A language of its own: yes. */
export function knowsAccessRule(sdk: PublishingSdk | undefined): boolean {
  if (sdk === undefined) return false;
  const first = FIRST_WITH_RULE.get(sdk.language.toLowerCase());
  if (first === undefined) return true;
  const [, major, minor] = /^v?(\d{1,6})\.(\d{1,6})(?:\.|$|-)/.exec(sdk.version) ?? [];
  if (major === undefined || minor === undefined) return false;
  return Number(major) > first[0] || (Number(major) === first[0] && Number(minor) >= first[1]);
}

/** What is known of one event's openness when it is published. */
export interface AccessFacts {
  readonly knowsRule: boolean;
  readonly declared: readonly Access[] | undefined;
  /** The older SDKs' spelling. */
  readonly personal: boolean;
  /** The event as it is stored. Absent: it is new. */
  readonly stored: { readonly access: readonly Access[] | undefined } | undefined;
}

/**
 * The openness an event has from now on. An SDK with the rule says it, in either spelling or both: nothing declared is tools-only
 * (`[]`). One without it can
 * neither open nor close what was published with the rule; where nothing was, its events are open to every path (`undefined`).
 */
export function accessOf(facts: AccessFacts): readonly Access[] | undefined {
  if (facts.knowsRule) return facts.personal ? [...new Set<Access>([...(facts.declared ?? []), "personal"])] : (facts.declared ?? []);
  if (facts.stored?.access !== undefined) return facts.stored.access;
  return facts.personal ? ["personal"] : undefined;
}
