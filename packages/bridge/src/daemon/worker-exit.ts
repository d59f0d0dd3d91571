/** Exit codes by which the supervisor knows why its worker is gone. */
export const WORKER_EXIT = { stopped: 0, fault: 1, alreadyRuns: 75, displaced: 76 } as const;

export type WorkerExit = (typeof WORKER_EXIT)[keyof typeof WORKER_EXIT];
