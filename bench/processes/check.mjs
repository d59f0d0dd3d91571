// How many assertions a second one CPU can check, one after the other: each emit carries one, so this bounds what a core can take.
import { generateKeyPairSync, sign, verify } from "node:crypto";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const text = Buffer.alloc(400, "a");
const signature = sign(null, text, privateKey);

process.on("message", ({ ms }) => {
  let checks = 0;
  const started = performance.now();
  for (; performance.now() - started < ms; checks += 1) verify(null, text, publicKey, signature);
  process.send?.({ perSecond: checks / ((performance.now() - started) / 1000) });
});
