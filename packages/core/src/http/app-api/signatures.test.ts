import { generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { ParsedAssertion } from "../../engine/app/assertion.ts";
import { Signatures } from "./signatures.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");

function assertionBy(key: KeyObject, text: string): ParsedAssertion {
  return { keyId: "", claims: {}, signedText: text, signature: sign(null, Buffer.from(text), key) };
}

function checkTogether(assertions: readonly ParsedAssertion[], noted: () => void = () => undefined): Promise<boolean[]> {
  const signatures = new Signatures();
  const checks = assertions.map((assertion) => () => signatures.during(() => signatures.isBy(publicKey, assertion)));
  return Promise.all(checks.map((check) => check().finally(noted)));
}

test("of calls that come together, exactly those with another's signature are refused", async () => {
  const other = generateKeyPairSync("ed25519").privateKey;
  const assertions = Array.from({ length: 30 }, (_, n) => assertionBy(n % 7 === 3 ? other : privateKey, `call ${n}`));
  expect(await checkTogether(assertions)).toEqual(assertions.map((_, n) => n % 7 !== 3));
});

test("calls that come in one turn of the event loop go on in one turn, so that what they write shares a commit", async () => {
  let turn = 0;
  let counting = true;
  const count = (): void => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  // The first of them, still alone when it comes, needn't wait for the others.
  await checkTogether(
    Array.from({ length: 20 }, (_, n) => assertionBy(privateKey, `call ${n}`)),
    () => turns.push(turn),
  );
  counting = false;
  expect(new Set(turns.slice(1)).size).toBe(1);
});

test("a signature that can't be read refuses its own call and none beside it", async () => {
  const unreadable = { ...assertionBy(privateKey, "short"), signature: Buffer.alloc(3) };
  expect(await checkTogether([assertionBy(privateKey, "one"), unreadable, assertionBy(privateKey, "three")])).toEqual([true, false, true]);
});

test("a call that runs alone is checked in the turn it comes in", async () => {
  const signatures = new Signatures();
  let later = false;
  setImmediate(() => (later = true));
  expect(await signatures.during(() => signatures.isBy(publicKey, assertionBy(privateKey, "alone")))).toBe(true);
  expect(later).toBe(false);
});

test("a check that can't be made fails its own call alone, and is no rejection that nobody waits for", async () => {
  const unseen: unknown[] = [];
  const onUnseen = (error: unknown): void => void unseen.push(error);
  process.on("unhandledRejection", onUnseen);
  onTestFinished(() => void process.off("unhandledRejection", onUnseen));
  const signatures = new Signatures();
  const ask = (key: KeyObject): Promise<boolean> => signatures.during(() => signatures.isBy(key, assertionBy(privateKey, "call")));
  const useless = generateKeyPairSync("x25519").publicKey;
  // Begun in the last phase of the event loop: the answers of other threads come before anything waits for them.
  const asked = new Promise<readonly PromiseSettledResult<boolean>[]>((resolve) => {
    setImmediate(() => {
      resolve(Promise.allSettled([ask(publicKey), ask(publicKey), ask(useless)]));
      const until = performance.now() + 100;
      while (performance.now() < until);
    });
  });
  expect((await asked).map((each) => (each.status === "fulfilled" ? each.value : "failed"))).toEqual([true, true, "failed"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(unseen).toEqual([]);
});
