import { expect, test } from "vitest";
import { nearName } from "./near-name.ts";

test.each([
  ["ones", "once"],
  ["onec", "once"],
  ["ONCE", "once"],
  ["wraps", "wrap"],
  ["apiKey", "key"],
  ["timeout", "timeoutMs"],
  ["timeoutMS", "timeoutMs"],
  ["onSubscribed", "onSubscribe"],
  ["identity", "identify"],
  ["personel", "personal"],
  ["subscribe", "subscribes"],
])("suggests for %j the name %j", (given, name) => {
  const known = ["key", "core", "once", "wrap", "timeoutMs", "onSubscribe", "onUnsubscribe", "identify", "personal", "subscribes"];
  expect(nearName(given, known)).toBe(name);
});

test.each(["", "x", "retries", "constructor", "__proto__"])("suggests nothing for %j", (given) => {
  expect(nearName(given, ["once", "replay", "ttl", "context"])).toBeUndefined();
});
