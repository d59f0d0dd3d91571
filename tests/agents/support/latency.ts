import { appendFileSync } from "node:fs";

/** Notes how long one wake took (emit sent → model asked), for the table that `npm run test:agents` prints at its end. */
export function recordLatency(program: string, way: string, ms: number): void {
  const file = process.env["WAKESHIFT_LATENCY_FILE"];
  if (file) appendFileSync(file, `${JSON.stringify({ program, way, ms: Math.round(ms) })}\n`);
}
