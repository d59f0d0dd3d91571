import { LIMITS } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkArguments } from "./checked-arguments.ts";
import { createEventDefinition } from "./event-definition.ts";

const event = createEventDefinition("repo.changed", {
  description: "A repository changed.",
  args: z.object({ repo: z.string().transform(decodeURIComponent), branch: z.string().default("main") }),
  payload: z.object({}),
});

test("arguments are kept as the schema took them, with their one canonical form", async () => {
  const checked = await checkArguments(event, { repo: "a%252Fb" });
  expect(checked).toMatchObject({ event, values: { repo: "a%2Fb", branch: "main" }, canonical: '{"branch":"main","repo":"a%2Fb"}' });
});

test("arguments that are checked can't be checked again", async () => {
  const checked = await checkArguments(event, { repo: "a%252Fb" });
  // @ts-expect-error -- the type keeps the schema from reading its own answer
  await expect(checkArguments(event, checked)).rejects.toMatchObject({ code: "bad_arguments" });
});

test("arguments over 4 KiB are refused, as are those on which the schema throws", async () => {
  const long = "é".repeat(LIMITS.argumentsBytes / 2);
  await expect(checkArguments(event, { repo: long })).rejects.toMatchObject({ code: "bad_arguments" });
  await expect(checkArguments(event, { repo: "%" })).rejects.toMatchObject({
    code: "bad_arguments",
    cause: expect.any(URIError) as URIError,
  });
});
