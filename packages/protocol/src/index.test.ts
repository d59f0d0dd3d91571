import { expect, it } from "vitest";
import * as protocol from "./index.ts";
import manifest from "../package.json" with { type: "json" };

it("exports exactly these values: whoever adds or removes one decides it here", () => {
  expect(Object.keys(protocol).sort()).toEqual([
    "ERROR_TABLE",
    "LIMITS",
    "PROGRAMS",
    "RESERVED_ARGUMENTS",
    "SUBSCRIPTION_META_KEY",
    "TOOL_ARGUMENTS",
    "WakeshiftError",
    "agentIdOf",
    "assertPlainJson",
    "canonicalJson",
    "cleanText",
    "formatAppKey",
    "formatOccurrenceId",
    "formatSecret",
    "formatSubscriptionId",
    "frameWake",
    "isErrorCode",
    "isEventName",
    "isProgramName",
    "isSecret",
    "matchesFilter",
    "mayBeUsedBy",
    "occurrenceIdOf",
    "parseAppKey",
    "parseDuration",
    "recognize",
    "redactSecrets",
    "routeText",
    "splitArguments",
    "viaOf",
  ]);
});

it("has one entry and no dependencies", () => {
  expect(Object.keys(manifest.exports)).toEqual([".", "./package.json"]);
  expect(Object.keys(manifest)).not.toContain("dependencies");
});
