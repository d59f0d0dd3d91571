import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS, withSetting } from "./settings.ts";

describe("settings", () => {
  test.each([
    ["resume", "always", { resume: "always" }],
    ["resume", "unattended", { resume: "unattended" }],
    ["unattended-wait", "90s", { "unattended-wait": 90_000 }],
    ["unattended-wait", "24h", { "unattended-wait": 86_400_000 }],
    ["unattended-wait", "0", { "unattended-wait": 0 }],
    ["unattended-wait", "600000", { "unattended-wait": 600_000 }],
    ["wake-budget", "1", { "wake-budget": 1 }],
  ])("%s takes %s", (key, value, change) => {
    expect(withSetting(DEFAULT_SETTINGS, key, value)).toEqual({ ...DEFAULT_SETTINGS, ...change });
  });

  test.each([
    ["resume", "sometimes"],
    ["unattended-wait", "25h"],
    ["unattended-wait", "86400001"],
    ["unattended-wait", "1.5"],
    ["unattended-wait", ""],
    ["unattended-wait", "soon"],
    ["unattended-wait", "-1s"],
    ["wake-budget", "0"],
    ["wake-budget", "1.5"],
    ["wake-budget", "100001"],
    ["toString", "1"],
  ])("%s refuses %s", (key, value) => {
    expect(() => withSetting(DEFAULT_SETTINGS, key, value)).toThrow(expect.objectContaining({ code: "bad_request" }) as Error);
  });
});
