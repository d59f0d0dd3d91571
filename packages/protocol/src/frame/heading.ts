/** What the first line of a framed occurrence names. All of it is clean, on one line, and without what ends a part. */
export interface HeadingParts {
  readonly event: string;
  readonly appName: string;
  readonly appId: string;
  readonly occurrence: string;
  readonly subscription: string;
}

/**
 * A heading as a program shows it, perhaps behind words of its own on the same line. The ids end the line, so that nothing before them,
 * such as an app's name, can name others.
 */
export const FRAME_HEADING: RegExp = /\[Wakeshift\] .* \([\w.:-]*\), occurrence ([\w.:-]+), subscription ([\w.:-]*)\s*$/;

/** Begins a line of text from outside; Codex escapes the `>` in the prompt of a hook. */
const FROM_OUTSIDE = /^(?:> |&gt; |payload: )/;

/** Writes the first line of a framed occurrence. */
export function frameHeading({ event, appName, appId, occurrence, subscription }: HeadingParts): string {
  return `[Wakeshift] ${event} from ${appName} (${appId}), occurrence ${occurrence}, subscription ${subscription}`;
}

/**
 * Whether a text that a program was given holds the frame of an occurrence: the proof that a wake arrived. Only a heading counts, never
 * the id alone, which stands in many texts if its author chose one like "42"; nor a line of text from outside, which is behind `> ` or
 * `payload: `.
 *
 * @param subscriptions - those the occurrence came for, since another app's occurrence may have the same id. Absent: any
 */
export function framesOccurrence(text: string, occurrence: string, subscriptions?: readonly string[]): boolean {
  return text.split("\n").some((line) => {
    if (FROM_OUTSIDE.test(line)) return false;
    const found = FRAME_HEADING.exec(line);
    return found?.[1] === occurrence && (subscriptions === undefined || subscriptions.includes(found[2] ?? ""));
  });
}
