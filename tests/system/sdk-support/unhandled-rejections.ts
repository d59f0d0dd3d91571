import { beforeEach, expect, onTestFinished } from "vitest";

/** Lets each test of a file fail that leaves a rejection unhandled. To be called at the file's top. */
export function failOnUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
    // Before all else a test leaves for its end, so that it comes last: closing may reject something too.
    onTestFinished(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      process.off("unhandledRejection", note);
      expect(unhandled).toEqual([]);
    });
  });
}
