import { WakeshiftError } from "../errors.ts";
import { byteLength } from "../frame/cut-text.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { assertPlainJson } from "../json/plain-json.ts";
import { LIMITS } from "../limits.ts";

/** Canonical JSON of arguments of any event. @throws WakeshiftError `bad_arguments` */
export function argumentsText(args: Readonly<Record<string, unknown>>): string {
  assertPlainJson(args, "bad_arguments", "arguments");
  if (Object.hasOwn(args, "__proto__"))
    throw new WakeshiftError("bad_arguments", "arguments has a field named __proto__, which many programs lose or misread; rename it.");
  const text = canonicalJson(args);
  // Three bytes is the most that one UTF-16 unit takes.
  if (text.length * 3 > LIMITS.argumentsBytes && byteLength(text) > LIMITS.argumentsBytes) {
    throw new WakeshiftError(
      "bad_arguments",
      `The arguments are larger than ${LIMITS.argumentsBytes} bytes; pass an id instead of the thing itself.`,
    );
  }
  return text;
}
