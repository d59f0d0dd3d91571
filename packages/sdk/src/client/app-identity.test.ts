import { randomBytes } from "node:crypto";
import { formatAppKey } from "@wakeshift/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAppIdentity } from "./app-identity.ts";

test.each([
  (key: string): string => key.slice(0, -1),
  (key: string): string => key.replace("wst_", "wsk_"),
  (key: string): string => `${key}1`,
  (key: string): string => key.slice(0, 20) + (key[20] === "2" ? "3" : "2") + key.slice(21),
])("refuses a mistyped key without showing it", (mistype) => {
  const key = formatAppKey(randomBytes(32));
  const mistyped = mistype(key);
  const refused = (): unknown => createAppIdentity(mistyped, "https://core.example.com", Date.now);
  expect(refused).toThrow(expect.objectContaining({ code: "unauthorized" }));
  expect(refused).not.toThrow(mistyped.slice(4));
});

test("PC-65 an import of the key that never ends, as a runtime leaves one with its request, holds up no other request", async () => {
  const importKey = vi.spyOn(crypto.subtle, "importKey").mockImplementationOnce(() => new Promise(() => undefined));
  onTestFinished(() => importKey.mockRestore());
  const identity = createAppIdentity(formatAppKey(randomBytes(32)), "https://core.example", () => 0);
  void identity.assertion("GET\n/app\n");
  expect(await identity.assertion("GET\n/app\n")).toMatch(/^ey/);
});
