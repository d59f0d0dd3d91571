import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";

/**
 * The bare name of an MCP tool that Claude Code calls `mcp__SERVER__TOOL`. Both parts may hold `__`, and characters a
 * model's tool name can't have stand there as `_`: where the result's entries name a tool that fits, that is the name.
 * A tool of another name gives its entries nothing, since the bridge takes an entry only from the tool it names.
 */
export function bareToolName(fullName: string, meta: unknown): string {
  const parts = fullName.split("__");
  const endings = parts.slice(2).map((_, place) => parts.slice(place + 2).join("__"));
  return claimedTools(meta).find((tool) => endings.includes(normalized(tool))) ?? endings[0] ?? fullName;
}

function normalized(tool: string): string {
  return tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

function claimedTools(meta: unknown): string[] {
  const entries =
    typeof meta === "object" && meta !== null ? (meta as Readonly<Record<string, unknown>>)[SUBSCRIPTION_META_KEY] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const tool = typeof entry === "object" && entry !== null ? (entry as { readonly tool?: unknown }).tool : undefined;
    return typeof tool === "string" ? [tool] : [];
  });
}
