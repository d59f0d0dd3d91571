import { expect, test } from "vitest";
import { defaultText } from "./default-text.ts";

test.each([
  ["A crawl finished", '{"status":"done"}', 'A crawl finished: {"status":"done"}'],
  ["A crawl finished. ", "1", "A crawl finished: 1"],
  ["Build 1.2: it ended...", "1", "Build 1.2: it ended: 1"],
  ["A crawl finished:", "{}", "A crawl finished."],
  ["A crawl finished", "null", "A crawl finished."],
  ["It is over", "🦄".repeat(200), `It is over: ${"🦄".repeat(200)}`],
  ["It is over", "🦄".repeat(201), `It is over: ${"🦄".repeat(200)}…`],
  ["It is over", "y".repeat(200_000), `It is over: ${"y".repeat(200)}…`],
])("%j with the payload %.20s reads as a sentence with a short form of it", (description, payload, text) => {
  expect(defaultText(description, payload)).toBe(text);
});
