const ENDS_SENTENCE = /[.!?:;…。！？]["')\]]*$/;

/** A line that another sentence may follow. */
export function withPeriod(line: string): string {
  const own = line.trimEnd();
  return own === "" || ENDS_SENTENCE.test(own) ? own : `${own}.`;
}
