import { generateKeyPairSync, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WakeshiftError } from "../errors.ts";
import { formatAppKey, parseAppKey } from "./app-key.ts";

function refusal(text: string): WakeshiftError {
  try {
    parseAppKey(text);
  } catch (error) {
    if (WakeshiftError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("the key was taken");
}

describe("app key", () => {
  it("round-trips every 32-byte seed through wst_ and exactly 50 base58 characters, leading zeros included", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const key = formatAppKey(seed);
        expect(key).toMatch(/^wst_[1-9A-HJ-NP-Za-km-z]{50}$/);
        expect(parseAppKey(key)).toEqual(Uint8Array.from(seed));
      }),
    );
    const low = new Uint8Array(32);
    low[31] = 1;
    for (const seed of [new Uint8Array(32), low, new Uint8Array(32).fill(255)]) {
      expect(formatAppKey(seed)).toHaveLength(54);
      expect(parseAppKey(formatAppKey(seed))).toEqual(seed);
    }
  });

  it("ignores white space around a pasted key", () => {
    const seed = Uint8Array.from(randomBytes(32));
    expect(parseAppKey(`  ${formatAppKey(seed)}\n`)).toEqual(seed);
  });

  it("refuses a key with any one character mistyped, by its checksum", () => {
    const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const key = formatAppKey(Uint8Array.from(randomBytes(32)));
    for (let place = 4; place < key.length; place += 1) {
      const wrong = [...alphabet].find((character) => character !== key[place]) ?? "";
      const error = refusal(key.slice(0, place) + wrong + key.slice(place + 1));
      expect(error.code).toBe("unauthorized");
    }
  });

  it("says whether prefix, length, characters or checksum are wrong, and never shows the key", () => {
    const key = formatAppKey(Uint8Array.from(randomBytes(32)));
    const body = key.slice(4);
    const cases: readonly (readonly [string, RegExp])[] = [
      ["", /starts with wst_/],
      [body, /starts with wst_/],
      [`wsk_${body}`, /starts with wst_/],
      [key.slice(0, -1), /50 characters after wst_; this one has 49/],
      [`${key}1`, /this one has 51/],
      [`${key.slice(0, -1)}0`, /character that no app key can have/],
      [`wst_${"z".repeat(50)}`, /mistyped/],
      [`${key.slice(0, 20)}${key[20] === "2" ? "3" : "2"}${key.slice(21)}`, /checksum/],
      [`wst_prod_shop_${"A".repeat(43)}`, /older forms/],
    ];
    for (const [text, sentence] of cases) {
      const error = refusal(text);
      expect(error.code).toBe("unauthorized");
      expect(error.message).toMatch(sentence);
      expect(error.message).toContain("wakeshift key create");
      expect(error.message).not.toContain(body.slice(5, 20));
    }
  });

  it("reads the older forms, whose seed may hold underscores and dashes", () => {
    for (let round = 0; round < 50; round += 1) {
      const seed = randomBytes(32);
      for (const form of ["test", "live"]) {
        expect(parseAppKey(`wst_${form}_my-shop2_${seed.toString("base64url")}`)).toEqual(Uint8Array.from(seed));
      }
    }
  });

  it("refuses older forms that are cut short, too long, foreign or name no app", () => {
    const body = randomBytes(32).toString("base64url");
    for (const text of [
      `wst_test_shop_${body.slice(1)}`,
      `wst_test_shop_${body}A`,
      `wst_test_shop_${body.slice(1)}=`,
      `wst_test__${body}`,
      `wst_test_Shop_${body}`,
      `wst_test_${body}`,
    ]) {
      expect(refusal(text).code).toBe("unauthorized");
    }
  });

  it("holds the seed that Ed25519 keys are made from", () => {
    const seed = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }).d ?? "";
    expect(Buffer.from(parseAppKey(formatAppKey(Buffer.from(seed, "base64url")))).toString("base64url")).toBe(seed);
  });
});
