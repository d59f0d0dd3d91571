/** One hook that Wakeshift adds to Codex. */
export interface HookEntry {
  readonly event: "PostToolUse" | "Stop";
  /** A regular expression over Codex's tool names. */
  readonly matcher?: string;
  readonly command: string;
  /** Seconds after which Codex kills the hook. */
  readonly timeout: number;
}

/**
 * Wakeshift's hooks. Codex's trust covers every byte of an entry, so these never change between versions: what differs
 * is behind the launcher. The Stop hook holds a `codex exec` run for its event, hence the long time.
 */
export function hookEntries(launcher: string, platform: NodeJS.Platform): readonly HookEntry[] {
  const quoted = platform === "win32" ? `"${launcher}"` : `'${launcher.replaceAll("'", `'\\''`)}'`;
  return [
    { event: "PostToolUse", matcher: "mcp__.*", command: `${quoted} hook codex PostToolUse`, timeout: 30 },
    { event: "Stop", command: `${quoted} hook codex Stop`, timeout: 86_400 },
  ];
}

/** An entry as Codex's hooks.json spells it. */
export function hookGroup(entry: HookEntry): Readonly<Record<string, unknown>> {
  const { matcher, command, timeout } = entry;
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command, timeout }] };
}
