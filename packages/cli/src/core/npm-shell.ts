const LOOK_MS = 500;
/** As early as can be: npm may be told to stop while the core starts. */
const shell: number = process.ppid;

/**
 * Notices that npm was told to stop. npm passes SIGTERM on to the shell between itself and the command it runs, and to nothing else:
 * the shell dies of it, and the command would go on without anybody who could stop it.
 *
 * Only if npm runs this very command, and in the foreground: whatever else outlives its shell, as after `nohup`, was meant to.
 *
 * @returns stops looking
 */
export function onNpmShellGone(env: NodeJS.ProcessEnv, gone: () => void): () => void {
  const script = env["npm_lifecycle_script"] ?? "";
  if (!/\bwakeshift\b/.test(script) || script.replaceAll("&&", "").includes("&")) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    gone();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
