/** How a session runs, which decides what its hooks may do. */
export interface SessionMode {
  /** No person is at it: `claude -p`, an SDK's run. */
  readonly unattended: boolean;
  /**
   * Hooks with `asyncRewake` run beside the session. In a one-shot run (`claude -p` without streamed input) the program
   * waits for each of them instead, so there only Stop may hold.
   */
  readonly background: boolean;
}

/** Entry points where a person looks at the session although the program itself runs without a terminal. */
const WATCHED_ENTRY_POINTS = new Set(["claude-vscode", "claude-desktop"]);

/**
 * Tells the mode from a hook's environment and the session process's command line (`undefined`: it can't be read; then
 * an unattended run is taken as one-shot, which costs an interrupted turn its waiter, but holds nothing up).
 */
export function sessionMode(env: NodeJS.ProcessEnv, commandLine: readonly string[] | undefined): SessionMode {
  const entryPoint = env["CLAUDE_CODE_ENTRYPOINT"] ?? "";
  const said = env["CLAUDE_CODE_SESSION_ATTENDED"];
  const attended = said === "1" || WATCHED_ENTRY_POINTS.has(entryPoint) || (said === undefined && entryPoint === "cli");
  return { unattended: !attended, background: said === "1" || readsStream(commandLine ?? []) || (said === undefined && attended) };
}

function readsStream(commandLine: readonly string[]): boolean {
  return commandLine.some(
    (argument, place) =>
      argument === "--input-format=stream-json" || (argument === "stream-json" && commandLine[place - 1] === "--input-format"),
  );
}
