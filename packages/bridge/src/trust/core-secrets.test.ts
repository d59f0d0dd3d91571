import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coreProofText } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { CoreSecrets, isCoreProof } from "./core-secrets.ts";

const ORIGIN = "http://127.0.0.1:4870";

function secretsFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "core-secrets.json");
}

test("a core's secret is kept for its user alone, replaced by the newest, and forgotten on demand", () => {
  const path = secretsFile();
  const secrets = new CoreSecrets(path);
  expect(secrets.find(ORIGIN)).toBeUndefined();
  secrets.note(ORIGIN, "first");
  secrets.note(ORIGIN, "second");
  secrets.note("http://127.0.0.1:1", "other");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect([secrets.find(ORIGIN), secrets.find("http://127.0.0.1:1"), secrets.find("__proto__")]).toEqual(["second", "other", undefined]);
  secrets.forget(ORIGIN);
  expect([secrets.find(ORIGIN), secrets.find("http://127.0.0.1:1")]).toEqual([undefined, "other"]);
});

test("a file of secrets that can't be read lets no core prove itself, until one is noted again", () => {
  const path = secretsFile();
  writeFileSync(path, "{");
  const secrets = new CoreSecrets(path);
  const request = { nonce: "n".repeat(43), address: ORIGIN };
  const proof = createHmac("sha256", "").update(coreProofText(request, "core_1")).digest("base64url");
  expect(isCoreProof(secrets.find(ORIGIN) ?? "none", request, "core_1", proof)).toBe(false);
  secrets.note(ORIGIN, "again");
  expect(secrets.find(ORIGIN)).toBe("again");
});

test("a proof holds for its secret, nonce, address and core id only", () => {
  const secret = randomBytes(32).toString("base64url");
  const request = { nonce: randomBytes(32).toString("base64url"), address: ORIGIN };
  const proof = createHmac("sha256", secret).update(coreProofText(request, "core_1")).digest("base64url");
  expect(isCoreProof(secret, request, "core_1", proof)).toBe(true);
  expect(isCoreProof(`${secret}x`, request, "core_1", proof)).toBe(false);
  expect(isCoreProof(secret, { ...request, nonce: "n".repeat(43) }, "core_1", proof)).toBe(false);
  expect(isCoreProof(secret, { ...request, address: "http://127.0.0.1:4871" }, "core_1", proof)).toBe(false);
  expect(isCoreProof(secret, request, "core_2", proof)).toBe(false);
  for (const wrong of [undefined, "", proof.slice(1), `${proof}AA`]) expect(isCoreProof(secret, request, "core_1", wrong)).toBe(false);
});
