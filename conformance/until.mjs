import assert from "node:assert/strict";

/** Waits until it holds, asking again and again. */
export async function until(holds) {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail("it didn't come about within 20 seconds");
}
