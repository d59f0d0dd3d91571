import { Hono } from "hono";
import type { CoreServices } from "../core-services.ts";
import type { CoreEnv } from "../request/send.ts";
import { ack, ackInput } from "./ack.ts";
import { endTickets, endTicketsInput } from "./end.ts";
import { hello, helloInput } from "./hello.ts";
import { next, nextInput } from "./next.ts";
import { stream, streamInput } from "./stream.ts";
import { wakeCall } from "./wake-call.ts";

/** `/api/wakes/v1`: what a bridge asks. */
export function wakeApiRoutes(services: CoreServices): Hono<CoreEnv> {
  const routes = new Hono<CoreEnv>();
  routes.post("/hello", wakeCall(services, helloInput, hello(services)));
  routes.post("/stream", wakeCall(services, streamInput, stream(services)));
  routes.post("/next", wakeCall(services, nextInput, next(services)));
  routes.post("/ack", wakeCall(services, ackInput, ack(services)));
  routes.post("/end", wakeCall(services, endTicketsInput, endTickets(services)));
  return routes;
}
