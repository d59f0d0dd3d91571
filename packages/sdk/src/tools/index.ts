// For users: Wakeshift on tools that no MCP SDK's server serves.
export { attachTools } from "./attach-tools.ts";
export type { AttachToolsOptions, AttachedTools, ListPage } from "./attach-tools.ts";
export type { RequestHeaders, ToolExtra, ToolsContext, WebHeaders } from "./tools-context.ts";
export type { DefinedToolHandler, ToolDefinition, ToolDefinitionOptions, ToolHints, ToolMetadata } from "./tool-definition.ts";
export type { ToolAnswer } from "./tool-answer.ts";

// For integrators: shapes without a type of any MCP SDK or schema library.
export type { BuiltInTool, ListedBuiltIn } from "../serve/built-in-tools.ts";
export type { ZodShape } from "./zod-shape.ts";
