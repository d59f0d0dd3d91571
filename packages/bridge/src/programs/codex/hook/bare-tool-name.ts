/**
 * The MCP tool's own name, out of the name Codex gives it (`mcp__SERVER__TOOL`). A server's name may hold `__` as well,
 * so the tools that the result's entries name are tried first. Codex writes `_` for every character but letters, digits and `_`.
 */
export function bareToolName(codexName: string, namedByEntries: readonly string[]): string {
  if (!codexName.startsWith("mcp__")) return codexName;
  const rest = codexName.slice("mcp__".length);
  const named = namedByEntries.find((name) => name !== "" && (rest.endsWith(`__${name}`) || rest.endsWith(`__${asModelName(name)}`)));
  if (named !== undefined) return named;
  const separator = rest.indexOf("__");
  return separator === -1 ? rest : rest.slice(separator + 2);
}

function asModelName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_");
}
