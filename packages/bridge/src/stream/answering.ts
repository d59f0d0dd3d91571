/** What answers at a core's address. `id` is `undefined` for a core from before cores had ids. */
export type Answering = { readonly kind: "core"; readonly id: string | undefined } | { readonly kind: "unproven" };

/** Whether something that belongs to a core may be sent to what answers. What was kept before cores had ids belongs to any. */
export function isOfCore(kept: { readonly coreId?: string }, answering: Answering): boolean {
  return answering.kind === "core" && (kept.coreId === undefined || kept.coreId === answering.id);
}
