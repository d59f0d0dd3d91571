import { expect, test } from "vitest";
import { parseCoreUrl } from "./core-url.ts";

test.each([
  ["https://core.example.com", "https://core.example.com"],
  ["https://core.example.com/under/", "https://core.example.com/under"],
  ["http://127.0.0.1:4870/", "http://127.0.0.1:4870"],
  ["http://localhost:4870", "http://localhost:4870"],
  ["http://[::1]:4870", "http://[::1]:4870"],
  ["http://core.localhost", "http://core.localhost"],
])("takes %s", (text, url) => {
  expect(parseCoreUrl(text)).toBe(url);
});

test.each([
  "http://core.example.com",
  "http://192.168.1.2:4870",
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example",
  "http://127.1@evil.example",
  "ftp://127.0.0.1",
  "core.example.com",
  "",
  "https://user:secret@core.example.com",
  "https://core.example.com?x=1",
  "https://core.example.com#x",
])("refuses %s", (text) => {
  expect(() => parseCoreUrl(text)).toThrow(expect.objectContaining({ code: "bad_request" }));
  expect(() => parseCoreUrl(text)).not.toThrow(/secret/);
});
