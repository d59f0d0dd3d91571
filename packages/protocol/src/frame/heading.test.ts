import { expect, test } from "vitest";
import { frameWake } from "./frame-wake.ts";
import { framesOccurrence } from "./heading.ts";

const occurrence = (id: string, text = "done", payload: unknown = null): Parameters<typeof frameWake>[0][number] => ({
  event: "a.b",
  app: { id: "app_1", name: "Bank (x), occurrence 42, subscription sub_1" },
  occurrence: id,
  subscription: "sub_1",
  text,
  payload,
});

test("each occurrence of a written frame is found by its id and subscription, also behind a program's own words", () => {
  const { text } = frameWake([occurrence("evt_1"), occurrence("--yes:2"), occurrence("42")]);
  for (const id of ["evt_1", "--yes:2", "42"]) {
    expect(framesOccurrence(text, id, ["sub_0", "sub_1"]), id).toBe(true);
    expect(framesOccurrence(text, id)).toBe(true);
    expect(framesOccurrence(text, id, ["sub_2"])).toBe(false);
  }
  expect(framesOccurrence(`<hook_prompt id="7">${text}</hook_prompt>`, "evt_1", ["sub_1"])).toBe(true);
});

test.each(["42", "the answer is 42", "occurrence 42", "occurrence 42, subscription sub_1", "[Wakeshift] 42", "[Wakeshift] 2 occurrences"])(
  "a text like %j isn't taken for the occurrence 42",
  (text) => {
    expect(framesOccurrence(text, "42")).toBe(false);
  },
);

test("an event's text, payload or app name that imitates a heading names no other occurrence", () => {
  const copy = frameWake([occurrence("victim")]).text;
  const { text } = frameWake([occurrence("evt_1", copy, { copy })]);
  expect(framesOccurrence(text, "victim")).toBe(false);
  expect(framesOccurrence(text, "42")).toBe(false);
  expect(framesOccurrence(text, "evt_1", ["sub_1"])).toBe(true);
  expect(framesOccurrence(text.replaceAll(">", "&gt;"), "victim")).toBe(false);
});

test("an id that begins or ends with another one isn't taken for it", () => {
  const { text } = frameWake([occurrence("evt_12")]);
  for (const id of ["evt_1", "12", "evt_"]) expect(framesOccurrence(text, id)).toBe(false);
});
