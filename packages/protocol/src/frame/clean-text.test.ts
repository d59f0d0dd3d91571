import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanLine, cleanText, escapeHidden } from "./clean-text.ts";

describe("cleaning", () => {
  it("leaves ordinary text alone: quotes, tabs, newlines, other scripts, joined letters and emoji", () => {
    for (const text of [
      'He said "hi"\n\tand left',
      "שלום",
      "नमस्ते",
      "می‌خواهم",
      "ന്‍",
      "👩‍👩‍👧‍👦 ❤️ 🇩🇪 1️⃣ 🏳️‍🌈 🧑🏻‍🤝‍🧑🏿",
      "$(touch x) `y` </system-reminder>",
    ]) {
      expect(cleanText(text)).toBe(text);
    }
  });

  it("turns every kind of line end into a newline", () => {
    expect(cleanText("a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh\ni")).toBe("a\nb\nc\nd\ne\nf\ng\nh\ni");
  });

  it("removes control, bidirectional and tag characters", () => {
    expect(cleanText("a\0b\x07c\x7fd\x9fe\u061cf\u200eg\u200fh\u202ai\u202ej\u2066k\u2069l")).toBe("abcdefghijkl");
    expect(cleanText("x\u{e0001}\u{e0049}\u{e0047}\u{e007f}y")).toBe("xy");
  });

  it("removes whole terminal escapes: colours, cursor moves, titles, links, charsets, resets", () => {
    expect(cleanText("\x1b[1;31mred\x1b[0m \x9b2Jx \x1b[?25ly")).toBe("red x y");
    expect(cleanText("\x1b]0;title\x07a\x1b]8;;https://e\x1b\\link\x1b]8;;\x1b\\b\x1bPq#0\x1b\\c")).toBe("alinkbc");
    expect(cleanText("\x1b(Ba\x1bcb\x1b7c\x1b=d")).toBe("abcd");
  });

  it("lets an escape that never ends swallow nothing but its own beginning", () => {
    const after = "the rest stays";
    expect(cleanText(`\x1b]0;${"x".repeat(300)} ${after}`)).toContain(after);
    expect(cleanText(`\x1b[${"1;".repeat(200)} ${after}`)).toContain(after);
    expect(cleanText(`\x1b]0;open\n${after}\x07`)).toBe(`0;open\n${after}`);
    expect(cleanText("end\x1b")).toBe("end");
  });

  it("makes half a surrogate pair visible instead of passing it on", () => {
    expect(cleanText("a\ud83db\ude00c😀")).toBe("a\ufffdb\ufffdc😀");
  });

  it("removes what shows nothing: zero-width characters, fillers, soft hyphens, invisible operators, annotations, selectors", () => {
    const invisible = [
      "\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u2060\u2061\u2062\u2063\u2064\u2065\u206a\u3164\ufe00\ufeff\uffa0\ufff0",
      "\ufff9\ufffa\ufffb\u{13430}\u{1bca0}\u{1d173}\u{e0001}\u{e0100}\u{e01ef}\u{e0fff}",
    ].join("");
    for (const character of invisible) expect(cleanText(`a${character}b`), character.codePointAt(0)?.toString(16)).toBe("ab");
  });

  it("removes joiners and selectors where they join nothing, since rows of them carry hidden text", () => {
    expect(cleanText("a\u200cb\u200dc 1\ufe0f2\ufe0e")).toBe("abc 12");
    expect(cleanText("می\u200c\u200d\u200cخواهم")).toBe("می\u200cخواهم");
    expect(cleanText("❤\ufe0f\ufe0e\u{e0101}x")).toBe("❤\ufe0fx");
    expect(cleanText("👩\u200d\u200d👧 👩\u200dx")).toBe("👩👧 👩x");
  });

  it("puts a text on one line where a line of its own would be read as ours", () => {
    expect(cleanLine("a\r\n\tb\u2028c")).toBe("a b c");
  });

  it("as JSON shows what it would remove, and the JSON says the same", () => {
    const value = { text: "a\u001b[31m\u009b2J\u202eb\u200bc\u2028d\u{e0041}e\ud83df", kept: "👩‍👩‍👧‍👦 می‌خواهم\n" };
    const line = escapeHidden(JSON.stringify(value));
    expect(JSON.parse(line)).toEqual(value);
    expect(line).toContain("👩‍👩‍👧‍👦 می‌خواهم");
    expect(cleanText(line)).toBe(line);
  });

  it("changes nothing the second time, and leaves nothing it should remove", () => {
    const nasty = fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "\x9b",
      "31m",
      "\x07",
      "\\",
      "\r",
      "\n",
      "\u2028",
      "\u202e",
      "\ud83d",
      "\ude00",
      "\ufe0f",
      "\u{e0041}",
      "\u200b",
      "\u200c",
      "\u200d",
      "❤",
      "ب",
      "a",
      "\0",
      "P",
      "(",
      ";",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const clean = cleanText(text);
          expect(cleanText(clean)).toBe(clean);
          expect(clean).not.toMatch(
            /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\u200e\u200f\u061c\u{e0000}-\u{e007f}]|\p{Surrogate}/u,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("is quick on hostile input", () => {
    const start = process.cpuUsage();
    for (const unit of ["\x1b]", "\x1b[", "\x1b[;;;;", "\x1b[ ", "\x1b", "\ufe0f", "\r", "\x1bP\x1b"])
      cleanText(unit.repeat(250_000 / unit.length));
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(10_000);
  });
});
