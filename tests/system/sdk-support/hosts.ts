import { Server as Server2, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** The four kinds of server an author may have. */
export const HOST_KINDS = ["2.x McpServer", "2.x Server", "1.x McpServer", "1.x Server"] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** An author's tool, written once for all hosts. Schemas are zod objects. */
export interface HostTool {
  readonly name: string;
  readonly description?: string;
  readonly input?: z.ZodObject;
  readonly output?: z.ZodType;
  readonly run: (args: any, context: any) => unknown;
}

export const INFO = { name: "crawler", version: "1.0.0" };

/** Makes an author's server with its tools registered the usual way of that host, nothing attached. */
export function makeHost(kind: HostKind, tools: readonly HostTool[]): any {
  switch (kind) {
    case "2.x McpServer":
    case "1.x McpServer": {
      const server: any = kind === "2.x McpServer" ? new McpServer2(INFO) : new McpServer1(INFO);
      for (const tool of tools) addTool(server, tool);
      return server;
    }
    case "2.x Server": {
      const server: any = new Server2(INFO, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) }));
      server.setRequestHandler("tools/call", (request: any, context: any) => answer(tools, request, context));
      return server;
    }
    case "1.x Server": {
      const server: any = new Server1(INFO, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
      server.setRequestHandler(CallToolRequestSchema, (request: any, extra: any) => answer(tools, request, extra));
      return server;
    }
  }
}

/** Registers a tool on an `McpServer` of either line. */
export function addTool(server: any, tool: HostTool): void {
  const config = {
    description: tool.description ?? `Runs ${tool.name}.`,
    ...(tool.input === undefined ? {} : { inputSchema: tool.input }),
    ...(tool.output === undefined ? {} : { outputSchema: tool.output }),
  };
  server.registerTool(
    tool.name,
    config,
    tool.input === undefined ? (context: any) => tool.run({}, context) : (args: any, context: any) => tool.run(args, context),
  );
}

export function listed(tool: HostTool): any {
  return {
    name: tool.name,
    description: tool.description ?? `Runs ${tool.name}.`,
    inputSchema: tool.input === undefined ? { type: "object" } : z.toJSONSchema(tool.input, { io: "input" }),
    ...(tool.output === undefined ? {} : { outputSchema: z.toJSONSchema(tool.output) }),
  };
}

function answer(tools: readonly HostTool[], request: any, context: any): unknown {
  const tool = tools.find((each) => each.name === request.params.name);
  if (tool === undefined) throw new Error(`no tool ${String(request.params.name)}`);
  return tool.run(request.params.arguments ?? {}, context);
}
