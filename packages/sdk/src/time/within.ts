/**
 * Answers what `work` answers, or what `late` answers or throws where that takes longer than `ms`. What comes of `work` afterwards is
 * nobody's: not even its rejection is left unhandled.
 */
export async function within<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
