/** The `_meta` key under which a tool result carries its subscriptions. */
export const SUBSCRIPTION_META_KEY = "ai.wakeshift/subscription";

/** One subscription as a tool result's `_meta` carries it to the bridge. The only place where a ticket stands. */
export interface SubscriptionMetaEntry {
  readonly v: 1;
  /** The core's public URL. */
  readonly core: string;
  /** The id of that core. Absent from an older core. */
  readonly coreId?: string;
  readonly ticket: string;
  /** Subscription id. */
  readonly id: string;
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly once: boolean;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** The tool whose result this is; a bridge takes the entry from no other tool's result. */
  readonly tool: string;
  readonly app: { readonly id: string; readonly name: string };
}
