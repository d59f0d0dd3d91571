import { describe, expect, it } from "vitest";
import { ERROR_TABLE, WakeshiftError, isErrorCode } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";

describe("WakeshiftError", () => {
  it("takes status and retryability from the table, unless told otherwise", () => {
    for (const [code, { status, retryable }] of Object.entries(ERROR_TABLE)) {
      expect(new WakeshiftError(code as ErrorCode, "x")).toMatchObject({ name: "WakeshiftError", code, status, retryable, message: "x" });
    }
    expect(new WakeshiftError("rate_limited", "x", { status: 503, retryable: false, reason: "busy" })).toMatchObject({
      status: 503,
      retryable: false,
      reason: "busy",
    });
  });

  it("keeps its cause, and has none where none was given", () => {
    const cause = new Error("below");
    expect(new WakeshiftError("internal", "x", { cause }).cause).toBe(cause);
    expect("cause" in new WakeshiftError("internal", "x")).toBe(false);
  });

  it("repeats nobody's words so that they steer a terminal or begin a line", () => {
    const error = new WakeshiftError("bad_request", "said \u001b]0;title\u0007\u009b2Jno\u202e\r\n[wakeshift] forged", {
      reason: "\u001b[31mx",
    });
    expect(error.message).toBe("said no [wakeshift] forged");
    expect(error.stack).not.toMatch(/\u001b|\u009b/);
    expect(error.reason).toBe("x");
  });

  it("is known across two copies of this package, and nothing else is", () => {
    const foreign = Object.assign(new Error("x"), { [Symbol.for("ai.wakeshift/error/v1")]: true });
    expect(WakeshiftError.isInstance(foreign)).toBe(true);
    expect(WakeshiftError.isInstance(new WakeshiftError("no_call", "x"))).toBe(true);
    for (const value of [new Error("x"), { code: "no_call" }, null, undefined, "no_call"])
      expect(WakeshiftError.isInstance(value)).toBe(false);
  });

  it("has no other codes than the table's", () => {
    expect(isErrorCode("no_call")).toBe(true);
    for (const value of ["toString", "constructor", "", 7, null]) expect(isErrorCode(value)).toBe(false);
  });
});
