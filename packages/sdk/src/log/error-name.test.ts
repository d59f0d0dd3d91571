import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { errorNameOf } from "./error-name.ts";

class Nameless extends Error {}
class Deeper extends Nameless {}
class Named extends Error {
  override readonly name = "QuotaExceeded";
}
class BelowNamed extends Named {}
class SaysItsClass extends Error {
  override readonly name: string = "SaysItsClass";
}
class BelowSaysItsClass extends SaysItsClass {}
class NoError {}

test.each<readonly [string, unknown, string]>([
  ["a class that sets no name", new Nameless("secret"), "Nameless"],
  ["a class below it", new Deeper("secret"), "Deeper"],
  ["a class that sets a name", new Named("secret"), "QuotaExceeded"],
  ["a class below it, by the name it took over", new BelowNamed("secret"), "QuotaExceeded"],
  ["a class below one that says its own name", new BelowSaysItsClass("secret"), "BelowSaysItsClass"],
  ["a class of the language", new TypeError("secret"), "TypeError"],
  ["an error given a name of its own", Object.assign(new Error("secret"), { name: "NotFound" }), "NotFound"],
  ["an error whose name is a sentence", Object.assign(new Error("x"), { name: "the password is hunter2" }), "object"],
  ["an error without a name", Object.assign(new Nameless("x"), { name: "" }), "Nameless"],
  ["a DOMException", new DOMException("secret", "TimeoutError"), "TimeoutError"],
  ["an error of another realm", runInContext("new RangeError('secret')", createContext()), "RangeError"],
  ["an object of a class that is no error", new NoError(), "NoError"],
  ["a plain object", { name: "secret" }, "object"],
  ["an object without a class", Object.create(null), "object"],
  ["a text", "secret", "string"],
  ["nothing", undefined, "undefined"],
  ["null", null, "object"],
])("an error's type is told of %s, and never its message (seed-201)", (_what, thrown, name) => {
  expect(errorNameOf(thrown)).toBe(name);
});

test.each([
  ["name", Object.defineProperty(new Error("x"), "name", { get: () => ({}).constructor.prototype.nothing.here })],
  ["class", Object.defineProperty(new Error("x"), "constructor", { get: () => ({}).constructor.prototype.nothing.here })],
  [
    "ancestors",
    new Proxy(new Error("x"), {
      getPrototypeOf: () => {
        throw new Error("no");
      },
    }),
  ],
])("an error whose %s can't be read is told by its kind of value", (_what, thrown) => {
  expect(errorNameOf(thrown)).toBe("object");
});
