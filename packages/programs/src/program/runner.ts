export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Written to the command's stdin, which is then closed. Default: empty. */
  readonly input?: string;
  /** The command is killed after so long. Default 30,000 ms. */
  readonly timeoutMs?: number;
}

export interface RunResult {
  /** `null`: it was killed or never started. */
  readonly exitCode: number | null;
  /** First 256 KiB each. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The command doesn't exist. */
  readonly missing?: boolean;
}

/** Starts commands without a shell. */
export interface Runner {
  /** Never rejects: a command that can't be started has `exitCode: null` and the reason in `stderr`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
}
