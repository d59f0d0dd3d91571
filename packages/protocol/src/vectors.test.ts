import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { recognize } from "./agent/recognize.ts";
import { parseDuration } from "./event/duration.ts";
import { routeText } from "./event/route-text.ts";
import type { RouteParts } from "./event/route-text.ts";
import { WakeshiftError } from "./errors.ts";
import type { FramedOccurrence } from "./frame/frame-block.ts";
import { frameWake } from "./frame/frame-wake.ts";
import { canonicalJson } from "./json/canonical-json.ts";
import { crc32 } from "./secret/crc32.ts";
import { formatAppKey, parseAppKey } from "./secret/app-key.ts";

type Case = Readonly<Record<string, unknown>>;
/** What a case of that kind gives: compared with the case's own fields. */
type Run = (input: Case) => Case;

const VECTORS = new URL("../../../vectors/", import.meta.url);

const RUNS: Readonly<Record<string, Run>> = {
  keys(input) {
    const form = String(input["form"]);
    const seed = parseAppKey(
      form === "present" ? `wst_${String(input["body"])}` : `wst_${form.slice(6)}_${String(input["app"])}_${String(input["body"])}`,
    );
    if (form === "present") expect(formatAppKey(seed)).toBe(`wst_${String(input["body"])}`);
    return { seed: Buffer.from(seed).toString("hex"), ...("crc32" in input && { crc32: crc32(seed) }) };
  },
  "canonical-json"(input) {
    const canonical = canonicalJson(JSON.parse(String(input["input"])));
    return { canonical, sha256: sha256(canonical) };
  },
  routes(input) {
    const text = routeText(input as unknown as RouteParts);
    return { text, route: sha256(text) };
  },
  durations: (input) => ({ milliseconds: parseDuration(input["value"] as string) }),
  recognition(input) {
    const params = record(record(input["request"])["params"]);
    return {
      expected: recognize({
        initializeName: record(record(input["initialize"])["clientInfo"])["name"] as string | undefined,
        initializeCapabilities: record(input["initialize"])["capabilities"],
        meta: record(params["_meta"]),
        userAgent: record(input["headers"])["user-agent"] as string | undefined,
        identifiedClient: input["identifiedClient"] as string | undefined,
        harness: record(params["arguments"])["harness"] as string | undefined,
      }),
    };
  },
  framing: (input) => ({ expected: frameWake(input["occurrences"] as readonly FramedOccurrence[], record(input["options"])) }),
};

function record(value: unknown): Case {
  return typeof value === "object" && value !== null ? (value as Case) : {};
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readJson(path: string): Case {
  return JSON.parse(readFileSync(new URL(path, VECTORS), "utf8")) as Case;
}

function casesOf(kind: string, side: "valid" | "invalid"): readonly string[] {
  const folders = readdirSync(new URL(`${kind}/`, VECTORS));
  expect(folders.filter((folder) => folder !== "valid" && folder !== "invalid")).toEqual([]);
  return folders.includes(side) ? readdirSync(new URL(`${kind}/${side}/`, VECTORS)).map((file) => `${kind}/${side}/${file}`) : [];
}

function validate(kind: string, side: "valid" | "invalid", input: Case): void {
  const schema = readJson(`schema/${kind}.schema.json`);
  const result = new Validator({ ...schema, $ref: `#/$defs/${side}` }, "2020-12").validate(input);
  expect(result.errors.map((error) => `${error.instanceLocation} ${error.error}`)).toEqual([]);
}

describe("vectors", () => {
  it("are of known kinds only, each with a schema and at least one case", () => {
    const kinds = Object.keys(RUNS).sort();
    expect(
      readdirSync(VECTORS)
        .filter((name) => name !== "schema")
        .sort(),
    ).toEqual(kinds);
    expect(readdirSync(new URL("schema/", VECTORS)).sort()).toEqual(kinds.map((kind) => `${kind}.schema.json`));
    for (const kind of kinds) expect(casesOf(kind, "valid").length).toBeGreaterThan(0);
  });

  for (const [kind, run] of Object.entries(RUNS)) {
    it.each(casesOf(kind, "valid"))("%s gives what it says", (path) => {
      const input = readJson(path);
      validate(kind, "valid", input);
      expect(input).toMatchObject(run(input));
    });

    it.for(casesOf(kind, "invalid"))("%s is refused with its code", (path) => {
      const input = readJson(path);
      validate(kind, "invalid", input);
      let code: unknown = "taken";
      try {
        run(input);
      } catch (error) {
        code = WakeshiftError.isInstance(error) ? error.code : error;
      }
      expect(code).toBe(input["code"]);
    });
  }
});
