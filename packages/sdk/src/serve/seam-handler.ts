import type { RequestContext } from "../request-context.ts";

/** A request as the stored handlers get it: not validated yet. */
export interface SeamRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A stored handler of either SDK line. It is the outermost one: what it returns has passed every check of the host. */
export type SeamHandler = (request: SeamRequest, context: RequestContext) => unknown;
