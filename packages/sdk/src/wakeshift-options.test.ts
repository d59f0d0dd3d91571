import { expect, test } from "vitest";
import { resolveWakeshiftOptions } from "./wakeshift-options.ts";

test("fills in what isn't given", () => {
  expect(resolveWakeshiftOptions({}, {})).toMatchObject({ key: undefined, core: "http://127.0.0.1:4870", timeoutMs: 5_000 });
  expect(resolveWakeshiftOptions({}, { WAKESHIFT_KEY: " k\n", WAKESHIFT_CORE: "https://a.example/" })).toMatchObject({
    key: "k",
    core: "https://a.example",
  });
  expect(
    resolveWakeshiftOptions({ key: "own", core: "https://b.example" }, { WAKESHIFT_KEY: "k", WAKESHIFT_CORE: "https://a.example" }),
  ).toMatchObject({ key: "own", core: "https://b.example" });
  expect(resolveWakeshiftOptions({}, { WAKESHIFT_KEY: "", WAKESHIFT_CORE: "" })).toMatchObject({
    key: undefined,
    core: "http://127.0.0.1:4870",
  });
});

test.each([
  [{ timeoutMs: 0 }],
  [{ timeoutMs: -1 }],
  [{ timeoutMs: Number.NaN }],
  [{ timeoutMs: 1e9 }],
  [{ logger: "stderr" }],
  [{ core: "http://core.example.com" }],
])("refuses %j", (options) => {
  expect(() => resolveWakeshiftOptions(options as object, {})).toThrow(expect.objectContaining({ code: "bad_request" }));
});
