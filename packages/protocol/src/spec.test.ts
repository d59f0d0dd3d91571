import { readFileSync, readdirSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { ERROR_TABLE } from "./errors.ts";
import { LIMITS } from "./limits.ts";

const SPEC = new URL("../../../spec/", import.meta.url);

function readSpec(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(file, SPEC), "utf8")) as Record<string, unknown>;
}

describe("the contract as data", () => {
  const files = readdirSync(SPEC).filter((name) => name.endsWith(".json"));

  it.each(files)("%s follows its schema", (file) => {
    const schema = readSpec(String(readSpec(file)["$schema"]));
    const result = new Validator(schema, "2020-12", false).validate(readSpec(file));
    expect(result.errors.map((error) => `${error.instanceLocation} ${error.error}`)).toEqual([]);
  });

  it("has the same error codes, statuses and retryability as the code", () => {
    const errors = readSpec("errors.json")["errors"] as readonly { code: string; status: number; retryable: boolean }[];
    expect(Object.fromEntries(errors.map(({ code, status, retryable }) => [code, { status, retryable }]))).toEqual(ERROR_TABLE);
    expect(errors).toHaveLength(Object.keys(ERROR_TABLE).length);
  });

  it("has the same limits as the code", () => {
    const limits = readSpec("limits.json")["limits"] as readonly { name: string; value: number }[];
    expect(Object.fromEntries(limits.map(({ name, value }) => [name, value]))).toEqual(LIMITS);
    expect(limits).toHaveLength(Object.keys(LIMITS).length);
  });

  it("names every rule once, the 284 of the two founding documents among them", () => {
    const ids = (readSpec("requirements.json")["requirements"] as readonly { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => /^seed-\d+$/.test(id))).toEqual(Array.from({ length: 284 }, (_, place) => `seed-${place + 1}`));
  });
});
