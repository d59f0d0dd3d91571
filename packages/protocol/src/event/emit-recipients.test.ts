import { describe, expect, it } from "vitest";
import { emitRecipients } from "./emit-recipients.ts";

const SHARED = { name: "crawl.finished", personal: false };
const PERSONAL = { name: "game.turn", personal: true };

describe("whose routes an emit goes to", () => {
  it("is one route without a user for a shared event, which takes no `to`", () => {
    expect(emitRecipients(SHARED, undefined)).toEqual([undefined]);
    for (const to of ["ada", [], ["ada"]])
      expect(() => emitRecipients(SHARED, to)).toThrow(
        expect.objectContaining({ code: "to_refused", message: expect.stringContaining("crawl.finished isn't personal") as string }),
      );
  });

  it("is each named user of a personal event once, in the order named", () => {
    expect(emitRecipients(PERSONAL, "ada")).toEqual(["ada"]);
    expect(emitRecipients(PERSONAL, ["bob", "ada", "bob"])).toEqual(["bob", "ada"]);
    const many = Array.from({ length: 1_000 }, (_, n) => `user-${n}`);
    expect(emitRecipients(PERSONAL, many)).toEqual(many);
    expect(emitRecipients(PERSONAL, "u".repeat(1_024))).toHaveLength(1);
  });

  it.each<[string, string | readonly string[] | undefined, string, RegExp]>([
    ["nobody", undefined, "to_required", /game\.turn is personal; say in `to` whose it is/],
    ["an empty list", [], "to_required", /say in `to` whose it is/],
    ["an empty name", "", "to_required", /an empty `to` is nobody/],
    ["a blank among others", ["ada", " \t"], "to_required", /an empty `to` is nobody/],
    ["1,001 users", Array.from({ length: 1_001 }, (_, n) => `u${n}`), "bad_request", /to names 1001 users; at most 1000/],
    ["a name that can't be stored", ["ada", "a\0b"], "bad_request", /^to\[1\] holds a NUL/],
    ["a name longer than any user's", ["u".repeat(1_025)], "bad_request", /^to\[0\] has more than 1024 characters/],
    ["one behind a good one", ["ada", "u".repeat(1_025)], "bad_request", /^to\[1\] has more than 1024 characters/],
  ])("refuses %s", (_what, to, code, message) => {
    expect(() => emitRecipients(PERSONAL, to)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) as string }),
    );
  });
});
