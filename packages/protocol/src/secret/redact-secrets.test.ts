import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { formatAppKey } from "./app-key.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { formatSecret } from "./secret.ts";

function secrets(): readonly string[] {
  const random = (bytes: number): string => randomBytes(bytes).toString("base64url");
  const claims = Buffer.from(JSON.stringify({ iss: "app_1", jti: random(16) })).toString("base64url");
  return [
    formatAppKey(Uint8Array.from(randomBytes(32))),
    `wst_test_shop_${random(32)}`,
    `wst_live_my-shop_${random(32)}`,
    formatSecret("session", randomBytes(32)),
    formatSecret("ticket", randomBytes(32)),
    formatSecret("voucher", randomBytes(32)),
    `whsec_${randomBytes(32).toString("base64")}`,
    `${Buffer.from('{"alg":"EdDSA","typ":"app+jwt"}').toString("base64url")}.${claims}.${random(64)}`,
  ];
}

describe("redaction", () => {
  it("leaves no part of any kind of secret, wherever it stands in the text", () => {
    for (const secret of secrets()) {
      for (const around of ["%", "x%y", '{"key":"%"}', "Bearer %", "https://core/?t=%&a=1", "a%,%b", "line\n%\nline"]) {
        const text = redactSecrets(around.replaceAll("%", secret));
        for (let at = 6; at + 12 <= secret.length; at += 1) expect(text).not.toContain(secret.slice(at, at + 12));
        expect(text).toContain("…");
      }
    }
  });

  it("keeps the prefix, so that one sees what stood there", () => {
    expect(redactSecrets(`key ${formatAppKey(Uint8Array.from(randomBytes(32)))} refused`)).toBe("key wst_… refused");
    expect(redactSecrets(formatSecret("ticket", randomBytes(32)))).toBe("wkt_…");
  });

  it("redacts cut-off secrets and publish URLs too", () => {
    expect(redactSecrets(formatSecret("session", randomBytes(32)).slice(0, 14))).toBe("wsk_…");
    expect(redactSecrets(`POST https://core.example/p/${randomBytes(32).toString("base64url")}`)).toBe("POST https://core.example/p/…");
  });

  it("leaves other text alone, also ids and bare prefixes", () => {
    const text = "evt_0190aa sub_00ff app_1 An app key starts with wst_; see /p/docs. eyJ is base64.";
    expect(redactSecrets(text)).toBe(text);
  });

  it("is done with a megabyte of near misses in no time", () => {
    const text = "wst wsk_ eyJ. whsec /p/".repeat(45_000);
    const start = process.cpuUsage();
    redactSecrets(text);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000);
  });
});
