import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { formatSecret, isSecret } from "./secret.ts";
import type { SecretKind } from "./secret.ts";

const PREFIXES: readonly (readonly [SecretKind, string])[] = [
  ["session", "wsk_"],
  ["ticket", "wkt_"],
  ["voucher", "wsv_"],
];

describe("secrets", () => {
  it("have their kind's prefix and 32 base62 characters", () => {
    for (const [kind, prefix] of PREFIXES) {
      for (let round = 0; round < 50; round += 1) {
        const secret = formatSecret(kind, randomBytes(32));
        expect(secret).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{32}$`));
        expect(isSecret(kind, secret)).toBe(true);
      }
    }
  });

  it("use all 62 characters at every place, so that no randomness is lost", () => {
    const seen = Array.from({ length: 32 }, () => new Set<string>());
    for (let round = 0; round < 2_000; round += 1) {
      [...formatSecret("ticket", randomBytes(32)).slice(4)].forEach((character, place) => seen[place]?.add(character));
    }
    for (const characters of seen) expect(characters.size).toBe(62);
  });

  it("of one kind are not taken for another, nor with a character less, more or foreign", () => {
    const ticket = formatSecret("ticket", randomBytes(32));
    expect(isSecret("session", ticket)).toBe(false);
    expect(isSecret("voucher", ticket)).toBe(false);
    for (const text of [ticket.slice(0, -1), `${ticket}a`, `${ticket.slice(0, -1)}-`, `${ticket}\n`, ` ${ticket}`, ""]) {
      expect(isSecret("ticket", text)).toBe(false);
    }
  });

  it("are not made from too little randomness", () => {
    expect(() => formatSecret("session", randomBytes(24))).toThrow(/32 random bytes/);
  });
});
