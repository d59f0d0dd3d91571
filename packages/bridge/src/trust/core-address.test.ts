import { WakeshiftError } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { parseCoreAddress } from "./core-address.ts";

describe("a core's address", () => {
  test.each([
    ["https://wake.example.com", "https://wake.example.com", "https://wake.example.com"],
    ["https://Wake.Example.com:443/", "https://wake.example.com", "https://wake.example.com"],
    ["https://example.com/wake/", "https://example.com/wake", "https://example.com"],
    ["http://127.0.0.1:4870", "http://127.0.0.1:4870", "http://127.0.0.1:4870"],
    ["http://localhost:4870/", "http://localhost:4870", "http://localhost:4870"],
    ["http://[::1]:4870", "http://[::1]:4870", "http://[::1]:4870"],
    ["http://127.1:4870", "http://127.0.0.1:4870", "http://127.0.0.1:4870"],
  ])("%s is taken", (text, base, origin) => {
    expect(parseCoreAddress(text)).toEqual({ base, origin });
  });

  test.each([
    "",
    "wake.example.com",
    "ftp://wake.example.com",
    "http://wake.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://0.0.0.0:4870",
    "http://[::ffff:127.0.0.1]:4870",
    "https://user@wake.example.com",
    "https://wake.example.com/?a=1",
    "https://wake.example.com/#a",
    `https://wake.example.com/${"x".repeat(300)}`,
  ])("%s is refused", (text) => {
    expect(() => parseCoreAddress(text)).toThrow(WakeshiftError);
  });
});
