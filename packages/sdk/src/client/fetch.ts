/** One request to a core, as a {@link CoreFetch} gets it. */
export interface CoreRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: "manual";
  /** Aborted when the request has taken too long. */
  readonly signal: AbortSignal;
}

/** What sends requests to a core. The runtime's `fetch` is one, and so is one that goes through a proxy. */
export type CoreFetch = (url: string, request: CoreRequest) => Promise<Response>;
