import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

/** What the reference server's module holds; it comes without declarations. */
interface EverythingModule {
  readonly createServer: () => { readonly server: McpServer; readonly cleanup: (session?: string) => void };
}

/** One server of "everything", with the tools its own authors registered. */
export async function createEverything(): Promise<ReturnType<EverythingModule["createServer"]>> {
  const path = "@modelcontextprotocol/server-everything/dist/server/index.js";
  return ((await import(path)) as EverythingModule).createServer();
}
