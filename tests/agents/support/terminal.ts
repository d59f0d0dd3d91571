import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { World } from "./world.ts";
import { waitUntil } from "./wait-until.ts";

/** Whether a terminal can be had here. */
export const HAS_TERMINAL: boolean = spawnSync("tmux", ["-V"]).status === 0;

/** A program in a terminal of its own (tmux). */
export interface Terminal {
  screen(): string;
  /** Types a line and sends it once the program shows it. */
  say(line: string): Promise<void>;
  press(key: string): void;
  shows(text: string, timeoutMs?: number): Promise<void>;
  close(): void;
}

/** Starts a program in a new terminal. */
export function openTerminal(world: World, command: string, args: readonly string[], env: NodeJS.ProcessEnv): Terminal {
  const socket = join(world.dir, "tmux");
  const tmux = (...rest: readonly string[]): string => {
    const result = spawnSync("tmux", ["-S", socket, ...rest], { cwd: world.work, env: { ...world.env, ...env }, encoding: "utf8" });
    if (result.status !== 0) throw new Error(`tmux ${rest[0] ?? ""}: ${result.stderr}`);
    return result.stdout;
  };
  tmux("new-session", "-d", "-x", "160", "-y", "50", "-c", world.work, command, ...args);
  const screen = (): string => tmux("capture-pane", "-p", "-J");
  const shows = async (text: string, timeoutMs = 60_000): Promise<void> => {
    await waitUntil(`${JSON.stringify(text)} on the screen`, () => screen().includes(text), timeoutMs).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${screen()}`);
    });
  };
  return {
    screen,
    shows,
    say: async (line) => {
      tmux("send-keys", "-l", line);
      await shows(line.slice(-40));
      tmux("send-keys", "Enter");
    },
    press: (key) => void tmux("send-keys", key),
    close: () => void spawnSync("tmux", ["-S", socket, "kill-server"]),
  };
}
