import { WakeshiftError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/** A fault and where it is, relative to the value looked at. The path is put together only once there is a fault. */
interface Fault {
  readonly path: string;
  readonly what: string;
}

const UNSTORABLE = /\p{Surrogate}|\0/u;
const UNSTORABLE_SENTENCE = "holds a NUL character or half of a surrogate pair; remove it.";

/**
 * Refuses what can't travel as JSON unchanged or can't be stored by every store: values of other types (also `undefined`, NaN,
 * class instances and holes), nesting deeper than 64, NUL characters and halves of surrogate pairs in strings and names.
 *
 * @param code - the code to refuse with, `bad_payload` for instance.
 * @param field - what `value` is called in the message, such as `payload`.
 * @throws WakeshiftError with that code, naming the place and never the value.
 */
export function assertPlainJson(value: unknown, code: ErrorCode, field: string): void {
  const fault = faultOf(value, LIMITS.requestDepth);
  if (fault === undefined) return;
  const place = field + fault.path;
  throw new WakeshiftError(code, `${place.length > 120 ? `${place.slice(0, 120)}…` : place} ${fault.what}`);
}

function faultOf(value: unknown, depthLeft: number): Fault | undefined {
  switch (typeof value) {
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: "", what: `is ${String(value)}, which JSON can't hold.` };
    case "string":
      return UNSTORABLE.test(value) ? { path: "", what: UNSTORABLE_SENTENCE } : undefined;
    case "object":
      return value === null ? undefined : faultInside(value, depthLeft);
    default:
      return { path: "", what: `is of type ${typeof value}, which JSON can't hold.` };
  }
}

function faultInside(value: object, depthLeft: number): Fault | undefined {
  if (depthLeft === 0) return { path: "", what: `is nested deeper than ${LIMITS.requestDepth} levels; make it flatter.` };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = faultOf(value[index], depthLeft - 1);
      if (fault !== undefined) return { path: `[${index}]${fault.path}`, what: fault.what };
    }
    return undefined;
  }
  if (!isPlainObject(value)) return { path: "", what: "is an instance of a class; convert it to a plain object first." };
  for (const [name, inner] of Object.entries(value)) {
    if (UNSTORABLE.test(name)) return { path: "", what: `has a field whose name ${UNSTORABLE_SENTENCE}` };
    const fault = faultOf(inner, depthLeft - 1);
    if (fault !== undefined) return { path: `.${name.slice(0, 40)}${fault.path}`, what: fault.what };
  }
  return undefined;
}

/** A prototype without a prototype is `Object.prototype`, also that of another realm. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
