import { describe, expect, test } from "vitest";
import { isLoopbackHost, parseCoreUrl } from "./core-url.ts";

describe("a core's URL", () => {
  test.each([
    ["https://wake.example.com", "https://wake.example.com", "https://wake.example.com", false],
    ["https://Wake.Example.com:443/", "https://wake.example.com", "https://wake.example.com", false],
    ["https://example.com/wake/", "https://example.com/wake", "https://example.com", false],
    ["https://bücher.example:8443", "https://xn--bcher-kva.example:8443", "https://xn--bcher-kva.example:8443", false],
    ["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443", false],
    ["http://127.0.0.1:4870", "http://127.0.0.1:4870", "http://127.0.0.1:4870", true],
    ["http://127.1:4870", "http://127.0.0.1:4870", "http://127.0.0.1:4870", true],
    ["http://localhost:4870/", "http://localhost:4870", "http://localhost:4870", true],
    ["http://[::1]:4870", "http://[::1]:4870", "http://[::1]:4870", true],
  ])("%s is accepted", (text, base, origin, loopback) => {
    expect(parseCoreUrl(text)).toEqual({ base, origin, loopback });
  });

  test.each([
    "",
    "wake.example.com",
    "localhost:4870",
    "ftp://wake.example.com",
    "ftp://127.0.0.1",
    "http://wake.example.com",
    "http://192.168.1.2:4870",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://core.localhost",
    "http://localhost.",
    "http://0.0.0.0:4870",
    "http://[::ffff:127.0.0.1]:4870",
    "http://127.1@evil.example",
    "https://user:secret@wake.example.com",
    "https://user@wake.example.com",
    "https://:secret@wake.example.com",
    "http://1127.0.0.1:4870",
    "x:/wake.example.com",
    "https://wake.example.com/?a=1",
    "https://wake.example.com/#a",
    `https://wake.example.com/${"x".repeat(300)}`,
  ])("%s is refused", (text) => {
    expect(() => parseCoreUrl(text)).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(() => parseCoreUrl(text)).not.toThrow(/secret/);
  });

  test.each([..."!\"$&'()*+,;=_`{}~"])("a host with %s, which a shell may take for its own, is refused", (character) => {
    expect(() => parseCoreUrl(`https://a${character}b.example`)).toThrow(/not valid/);
  });

  test.each([
    ["localhost:4870", "http://localhost:4870"],
    ["127.0.0.1:4870/wake", "http://127.0.0.1:4870/wake"],
    ["[::1]:4870", "http://[::1]:4870"],
    ["localhost", "http://localhost"],
    ["wake.example.com", "https://wake.example.com"],
    ["wake.example.com:8443", "https://wake.example.com:8443"],
    ["core:4870", "https://core:4870"],
  ])("%s is refused with the URL that was meant, %s", (text, meant) => {
    expect(() => parseCoreUrl(text, "--core")).toThrow(
      new RegExp(`^--core ".+" has no scheme\\. Use ${meant.replaceAll(/[.[\]]/g, "\\$&")}\\.$`),
    );
  });

  test.each(["http:", "mailto:a", "wake", "C:/data"])("%s is refused without a guess", (text) => {
    expect(() => parseCoreUrl(text)).toThrow(/is not valid/);
  });

  test("a refused text is shown without what would move a terminal's cursor", () => {
    expect(() => parseCoreUrl("https://a\u001b[2J\u202eb\nc;d", "WAKESHIFT_CORE")).toThrow(
      'WAKESHIFT_CORE "https://ab c;d" is not valid. Expected for example https://wake.example.com.',
    );
  });
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["[::1]", true],
  ["a.localhost", false],
  ["localhost.", false],
  ["127.example.com", false],
  ["0.0.0.0", false],
  ["::", false],
])("whether %s is loopback without being resolved: %s", (host, loopback) => {
  expect(isLoopbackHost(host)).toBe(loopback);
});
