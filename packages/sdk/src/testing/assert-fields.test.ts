import { expect, test } from "vitest";
import { assertFields } from "./assert-fields.ts";

test.each(["constructor", "__proto__", "toString"])(
  "a field named %s, which no core knows, is refused for no length and with no code of its own",
  (name) => {
    const fields = JSON.parse(`{"${name}":"${"x".repeat(2_000)}"}`) as object;
    expect(() => assertFields(fields)).not.toThrow();
    expect(() => assertFields(JSON.parse(`{"${name}":"\\u0000"}`))).toThrow(expect.objectContaining({ code: "bad_request" }));
  },
);
