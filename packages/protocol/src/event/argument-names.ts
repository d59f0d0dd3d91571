/** Event arguments that no author may declare: Wakeshift passes its own values there. */
export const RESERVED_ARGUMENTS = ["wakeshift_voucher"] as const;

/** Arguments that Wakeshift adds to tools and takes out of calls before the author's code sees them. */
export const TOOL_ARGUMENTS = ["session_key", "harness", "conversation_id"] as const;
