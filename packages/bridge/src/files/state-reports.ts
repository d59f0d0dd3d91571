/** How the state files tell what went wrong with them. */
export interface StateReports {
  /** A file held something else than it should, and now lies elsewhere. */
  readonly corrupt: (path: string, keptAs: string) => void;
  /** Makes the listener for failed writes of one file. */
  readonly failed: (path: string) => (error: unknown) => void;
  /** Pause before a failed write is tried again, in milliseconds. */
  readonly retryMs: number;
}
