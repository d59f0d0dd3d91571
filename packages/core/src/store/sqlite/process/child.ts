import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A process of `store.test.child.ts`, and all it said. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves once it has said so many lines. Rejects if it ends before. */
  said(lines: number): Promise<void>;
  /** Resolves with the exit code once it is gone and everything it said is here. */
  readonly gone: Promise<number | null>;
}

/** Starts the built child: tests run from the sources, other processes can't. */
export function startChild(mode: string, path: string, argument = ""): Child {
  const script = fileURLToPath(new URL("../../../../dist/store/sqlite/process/store.test.child.js", import.meta.url));
  if (!existsSync(script)) throw new Error(`${script} is missing: build first (npx tsc -b packages/core)`);
  const child = spawn(process.execPath, [script, mode, path, argument], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const one of waiting) if (lines.length >= one.count) one.resolve();
  });
  const gone = once(child, "close").then(([code]: (number | null)[]) => {
    for (const one of waiting) one.reject(new Error(`the ${mode} process ended after ${lines.length} lines`));
    return code ?? null;
  });
  const said = (count: number): Promise<void> =>
    lines.length >= count ? Promise.resolve() : new Promise((resolve, reject) => void waiting.push({ count, resolve, reject }));
  return { process: child, lines, said, gone };
}
