import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The pinned agent programs; `tooling/test-agents.mjs` installs these versions. */
export const AGENT_PROGRAMS = {
  codex: { version: "0.171.0", command: "codex" },
  "claude-code": { version: "2.1.332", command: "claude" },
  opencode: { version: "1.18.33", command: "opencode" },
} as const;

export type AgentProgram = keyof typeof AGENT_PROGRAMS;

/** Where the programs are installed, outside the workspace. */
export function agentCache(): string {
  return process.env["WAKESHIFT_AGENT_CACHE"] ?? join(homedir(), ".cache", "wakeshift", "agents");
}

/** The folder that holds a program's command; fails with what to do where it isn't installed. */
export function agentBin(program: AgentProgram): string {
  const { version, command } = AGENT_PROGRAMS[program];
  const bin = join(agentCache(), `${program}-${version}`, "node_modules", ".bin");
  if (!existsSync(join(bin, command)))
    throw new Error(`${program} ${version} is not installed in ${agentCache()}: run \`npm run test:agents\`, which installs it`);
  return bin;
}
