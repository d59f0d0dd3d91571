/**
 * Answers what `work` answers, or rejects with what `late` makes where that takes longer than `ms`. What comes of `work` afterwards
 * is nobody's: not even its rejection is left unhandled.
 */
export async function within<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
