/** How long any one wait of the bench may take, unless it says otherwise: far longer than a busy machine needs. */
export const WAIT_LIMIT_MS = 120_000;

/**
 * What `promise` resolves to. Rejects with a sentence if that takes longer than `limitMs`.
 * @template T
 * @param {string} what is waited for
 * @param {Promise<T>} promise
 * @param {number} [limitMs]
 * @returns {Promise<T>}
 */
export async function within(what, promise, limitMs = WAIT_LIMIT_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the bench waited ${limitMs / 1000} s for ${what}`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
