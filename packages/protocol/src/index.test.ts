import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as protocol from "./index.ts";

it("exports exactly these values: whoever adds or removes one decides it here", () => {
  expect(Object.keys(protocol).sort()).toEqual([
    "BelievedTime",
    "ERROR_TABLE",
    "LIMITS",
    "PROGRAMS",
    "RESERVED_ARGUMENTS",
    "SCHEMA_DATA_KEYWORDS",
    "SUBSCRIPTION_META_KEY",
    "TOOL_ARGUMENTS",
    "WakeshiftError",
    "additionOf",
    "agentIdOf",
    "argumentsText",
    "assertManifestEvent",
    "assertOpen",
    "assertPlainJson",
    "assertUsableSchema",
    "callMetaOf",
    "callerOf",
    "canonicalJson",
    "cleanLine",
    "cleanText",
    "coreProofText",
    "cutToBytes",
    "defaultText",
    "describeSchemaFault",
    "emitRecipients",
    "formatAppKey",
    "formatOccurrenceId",
    "formatSecret",
    "formatSubscriptionId",
    "frameWake",
    "isErrorCode",
    "isEventName",
    "isLoopbackHost",
    "isNativeClient",
    "isOutOfSpace",
    "isProgramName",
    "isSecret",
    "matchesFilter",
    "mayBeEmitted",
    "mayBeUsedBy",
    "mayUseConversation",
    "metaClientNameOf",
    "notOpen",
    "occurrenceIdOf",
    "parseAppKey",
    "parseCoreUrl",
    "parseDuration",
    "recognize",
    "recognizeCall",
    "redactSecrets",
    "requiredValuesSchema",
    "routeText",
    "sessionKeyOf",
    "shownCommand",
    "splitArguments",
    "subscribeTerms",
    "takeAlike",
    "viaOf",
    "whyUnwritable",
  ]);
});

it("has one entry and no dependencies", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { exports: object };
  expect(Object.keys(manifest.exports)).toEqual([".", "./package.json"]);
  expect(Object.keys(manifest)).not.toContain("dependencies");
});
