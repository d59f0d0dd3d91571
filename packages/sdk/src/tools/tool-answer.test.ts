import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isAnswerRefused, readAnswer } from "./tool-answer.ts";

const JOB = { job: z.string() };
const BOTH = { job: z.string(), pages: z.number().optional() };
const text = (content: string): object => ({ content: [{ type: "text", text: content }] });

describe("an answer, as a result", () => {
  test("of text or a number is one text part (seed-113)", () => {
    expect(readAnswer("started", undefined)).toEqual(text("started"));
    expect(readAnswer(5, undefined)).toEqual(text("5"));
    expect(readAnswer("", undefined)).toEqual(text(""));
  });

  test("of text is also the value of an output's only field, if that takes it", () => {
    expect(readAnswer("7", JOB)).toEqual({ ...text("7"), structuredContent: { job: "7" } });
    expect(readAnswer(7, JOB)).toEqual(text("7"));
    expect(readAnswer("7", BOTH)).toEqual(text("7"));
  });

  test("of an object is the result it is, and with an output shape, data alone is structured content", () => {
    const result = { content: [], _meta: {} };
    expect(readAnswer(result, JOB)).toBe(result);
    expect(readAnswer({ job: "7" }, JOB)).toEqual({ ...text('{"job":"7"}'), structuredContent: { job: "7" } });
    const question = { resultType: "input_required" };
    expect(readAnswer(question, JOB)).toBe(question);
    expect(readAnswer({ isError: true }, JOB)).toEqual({ isError: true });
  });

  test("of structured content alone says the same in text, as frameworks do where nothing was added before", () => {
    expect(readAnswer({ structuredContent: { a: 1 } }, undefined)).toEqual({ ...text('{"a":1}'), structuredContent: { a: 1 } });
  });

  test.each([undefined, null, true, [1]])("of %j stays what it is", (answer) => {
    expect(readAnswer(answer, undefined)).toBe(answer);
  });
});

describe("a result is refused by its framework", () => {
  test.each([
    ["it has neither content nor structured content", { job: "7" }, undefined],
    ["its content is no list", { content: "x" }, undefined],
    ["its structured content is a list", { content: [], structuredContent: [] }, undefined],
    ["its output shape promises structured content", { content: [] }, JOB],
    ["a field is of another type", { structuredContent: { job: 7 } }, JOB],
    ["a field is missing", { structuredContent: {} }, JOB],
    ["a field isn't promised", { structuredContent: { job: "7", other: 1 } }, JOB],
  ])("where %s (seed-148)", (_why, result, output) => {
    expect(isAnswerRefused(result, output)).toBe(true);
  });

  test.each(["constructor", "toString"])("exactly if its schema refuses a field named %s, which every object inherits", (name) => {
    const shape = { [name]: z.string().optional() };
    for (const data of [{}, JSON.parse(`{"${name}":"x"}`), JSON.parse(`{"${name}":1}`)] as readonly object[]) {
      const accepted = z.object(shape).safeParse(data).success;
      expect([data, isAnswerRefused({ structuredContent: data }, shape)]).toEqual([data, !accepted]);
    }
  });

  test.each([
    ["content", { content: [] }, undefined],
    ["structured content", { structuredContent: { any: 1 } }, undefined],
    ["what its shape promises", { structuredContent: { job: "7" } }, BOTH],
    ["a field that can only be checked later", { structuredContent: { job: "7" } }, { job: z.string().refine(async () => false) }],
  ])("never for %s", (_why, result, output) => {
    expect(isAnswerRefused(result, output)).toBe(false);
  });
});
