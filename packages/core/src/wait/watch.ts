import type { Hash, SubscriptionRecord } from "../engine/store.ts";

/** One subscription as one reader follows it. */
export interface Watch {
  readonly ticketHash: Hash;
  readonly ticketId: string;
  readonly subscription: SubscriptionRecord;
  readonly app: { readonly id: string; readonly name: string };
  /** Whether no emit matches it, since its event has another shape than it was made with. */
  stranded: boolean;
  /** Occurrences this reader was handed and nobody acked yet, with the end of their lease (monotonic). */
  readonly outstanding: Map<string, number>;
  /** Look again at this time (monotonic), for what is leased to another. */
  retryAt: number | undefined;
}

/** When a reader has to look after a watch again, if nothing happens before (monotonic). */
export function nextLook(watch: Watch): number | undefined {
  const times = watch.retryAt === undefined ? [...watch.outstanding.values()] : [watch.retryAt, ...watch.outstanding.values()];
  return times.length === 0 ? undefined : Math.min(...times);
}
