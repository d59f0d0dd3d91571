import { linesWith } from "./transcript-results.ts";

interface Line {
  readonly type?: unknown;
  readonly isMeta?: unknown;
  readonly message?: { readonly content?: unknown };
}

const FEEDBACK = "Stop hook feedback:";

/**
 * How many texts of Stop hooks the running turn has had since its last tool call or prompt. Claude Code ends a turn
 * whose end was held up too often in a row (`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`, 8) and shows the model no further text.
 */
export function stopFeedbacksInARow(transcript: string): number {
  let count = 0;
  for (const line of linesWith(transcript, '"type":"user"') as Generator<Line>) {
    if (line.type !== "user") continue;
    const content = line.message?.content;
    if (line.isMeta !== true || typeof content !== "string" || !content.startsWith(FEEDBACK)) return count;
    count += 1;
  }
  return count;
}
