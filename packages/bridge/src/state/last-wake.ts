import { readFileSync } from "node:fs";
import { PROGRAMS } from "@wakeshift/protocol";
import { z } from "zod";
import type { LastWake } from "../local-api.ts";

export const lastWakeSchema: z.ZodType<LastWake> = z.object({
  at: z.string(),
  program: z.enum(PROGRAMS),
  conversation: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  event: z.string(),
  occurrence: z.string(),
  state: z.enum(["handed", "seen"]),
});

/** The newest wake by what the bridge left on disk, for when none runs. `undefined`: none, or it can't be read. */
export function readLastWake(path: string): LastWake | undefined {
  try {
    const document: unknown = JSON.parse(readFileSync(path, "utf8"));
    return z.object({ last: lastWakeSchema }).safeParse(document).data?.last;
  } catch {
    return undefined;
  }
}
