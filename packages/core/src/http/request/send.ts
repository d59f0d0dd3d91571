import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { writeJson } from "./answer.ts";

/** The environment of every handler. */
export interface CoreEnv {
  Bindings: HttpBindings;
}

export type CoreContext = Context<CoreEnv>;

/** Answers with JSON. Written to the socket at once: an emit's answer waits for nothing after its commit. */
export function sendJson(context: CoreContext, json: string, status = 200): Response {
  writeJson(context.env.outgoing, status, json);
  return RESPONSE_ALREADY_SENT;
}
