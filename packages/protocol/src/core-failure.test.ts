import { describe, expect, test } from "vitest";
import { connectionFailureCode, describeUnreachable, foreignResponse } from "./core-failure.ts";

const CORE = "https://wake.example";

describe("a request to a core that got no response", () => {
  test.each(["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT"])(
    "for a private authority (%s) names the code, NODE_EXTRA_CA_CERTS and what to restart",
    (code) => {
      const sentence = describeUnreachable(CORE, code, { setting: "WAKESHIFT_CORE", process: "the bridge" });
      expect(sentence).toContain(`(${code})`);
      expect(sentence).toMatch(/NODE_EXTRA_CA_CERTS .* restart the bridge/);
    },
  );

  test.each([
    ["CERT_HAS_EXPIRED", "has expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "for another name"],
    ["EPROTO", "doesn't speak TLS"],
    ["ECONNREFUSED", "Is it running, and is --core right?"],
    ["constructor", "Is it running"],
  ])("for %s says %s", (code, what) => {
    expect(describeUnreachable(CORE, code, { setting: "--core", process: "this process" })).toContain(what);
  });

  test("has the code of whatever caused it, and none that is only a word", () => {
    const cause = Object.assign(new Error("unable to verify"), { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(connectionFailureCode(new TypeError("fetch failed", { cause }))).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    expect(connectionFailureCode(Object.assign(new Error("x"), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
    expect(connectionFailureCode(Object.assign(new Error("x"), { code: "a\u001b[2J" }))).toBeUndefined();
    expect(connectionFailureCode("x")).toBeUndefined();
    expect(connectionFailureCode(null)).toBeUndefined();
    expect(connectionFailureCode({ cause: null })).toBeUndefined();
    expect(connectionFailureCode({ code: 7 })).toBeUndefined();
    expect(connectionFailureCode({ code: "ECONNREFUSED 127.0.0.1" })).toBeUndefined();
  });

  test("is looked for four causes deep, and no further, also in a circle", () => {
    const nested = (depth: number): object => (depth === 0 ? { code: "EPIPE" } : { cause: nested(depth - 1) });
    expect(connectionFailureCode(nested(3))).toBe("EPIPE");
    expect(connectionFailureCode(nested(4))).toBeUndefined();
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(connectionFailureCode(circle)).toBeUndefined();
  });

  test("without a code names none, and asks the two usual questions", () => {
    const sentence = describeUnreachable(CORE, undefined, { setting: "--core", process: "this process" });
    expect(sentence).toBe(`The core at ${CORE} can't be reached. Is it running, and is --core right?`);
  });
});

describe("a response that no core sends", () => {
  test.each([502, 503, 504])("with %i is a proxy's that can't reach the core: it names both, and may be retried", (status) => {
    const error = foreignResponse(CORE, status, { setting: "WAKESHIFT_CORE" });
    expect(error).toMatchObject({ code: "bad_response", status, retryable: true });
    expect(error.message).toMatch(/proxy .* can't reach the core.* the core runs.* forwards to its port/);
    expect(error.message).not.toContain("right");
  });

  test.each([
    [302, "redirects"],
    [401, "sign-in"],
    [413, "4 MiB"],
    [429, "limits requests"],
    [404, "Is WAKESHIFT_CORE the core's own URL"],
    [200, "Is WAKESHIFT_CORE the core's own URL"],
  ])("with %i says %s, and isn't tried again", (status, what) => {
    const error = foreignResponse(CORE, status, { setting: "WAKESHIFT_CORE" });
    expect(error.message).toContain(what);
    expect(error).toMatchObject({ code: "bad_response", retryable: false });
  });
});
