import { LIMITS } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import type { EventDefinition } from "./event-definition.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { createEventDefinition } from "./event-definition.ts";
import { createEmitRequest } from "./emit-request.ts";

const options = { description: "A crawl finished.", args: z.object({ job: z.string() }), payload: z.object({ status: z.string() }) };
const shared = createEventDefinition("crawl.finished", options);
const personal = createEventDefinition("game.turn", { ...options, personal: true });
const bare = {
  ...createEventDefinition("a.b", options),
  payload: compileSchema({ type: ["object", "null", "string"] }, "the payload of a.b"),
};

test("writes a request with the default text: the description and a short form of the payload", async () => {
  expect(await createEmitRequest(shared, { job: "1" }, { status: "done" }, { id: "x 1" })).toEqual({
    name: "crawl.finished",
    arguments: { job: "1" },
    payload: { status: "done" },
    text: 'A crawl finished: {"status":"done"}',
    id: "x 1",
  });
  expect((await createEmitRequest(bare, { job: "1" }, {}, {})).text).toBe("A crawl finished.");
  expect((await createEmitRequest(bare, { job: "1" }, "y".repeat(500), {})).text).toBe(`A crawl finished: "${"y".repeat(199)}…`);
});

test("lets the author write the text, cut to 4 KiB at a whole character and without what can't be stored", async () => {
  const told = createEventDefinition("a.b", { ...options, text: (payload, args) => `${args.job}: ${payload.status}` });
  expect((await createEmitRequest(told, { job: "1" }, { status: "done" }, {})).text).toBe("1: done");
  const long = createEventDefinition("a.b", { ...options, text: () => `\0\ud800${"é".repeat(4_096)}` });
  const { text = "" } = await createEmitRequest(long, { job: "1" }, { status: "done" }, {});
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.textBytes);
  expect(text).toMatch(/^\ufffd\ufffdé+…$/);
});

const cyclic: Record<string, unknown> = { job: "1", status: "done" };
cyclic["self"] = cyclic;
const open = createEventDefinition("a.b", { ...options, args: { type: "object" }, payload: { type: "object" } });

const REFUSED: readonly (readonly [string, string, EventDefinition, unknown, unknown, object])[] = [
  ["arguments that don't match", "bad_arguments", shared, { job: 1 }, { status: "done" }, {}],
  ["arguments over 4 KiB", "bad_arguments", shared, { job: "x".repeat(4_096) }, { status: "done" }, {}],
  ["a payload that doesn't match", "bad_payload", shared, { job: "1" }, { status: 1 }, {}],
  ["a payload with NUL", "bad_payload", shared, { job: "1" }, { status: "\0" }, {}],
  ["a payload that is no JSON", "bad_payload", bare, { job: "1" }, { at: new Date() }, {}],
  ["arguments that hold themselves", "bad_arguments", open, cyclic, {}, {}],
  ["a payload that holds itself", "bad_payload", open, {}, cyclic, {}],
  ["a payload over 256 KiB", "payload_too_large", shared, { job: "1" }, { status: "x".repeat(LIMITS.payloadBytes) }, {}],
  ["an empty id", "bad_request", shared, { job: "1" }, { status: "done" }, { id: "" }],
  ["an id over 256 bytes", "bad_request", shared, { job: "1" }, { status: "done" }, { id: "é".repeat(129) }],
  ["to on a shared event", "to_refused", shared, { job: "1" }, { status: "done" }, { to: "u" }],
  ["a personal event without to (seed-210)", "to_required", personal, { job: "1" }, { status: "done" }, {}],
  ["a personal event to nobody", "to_required", personal, { job: "1" }, { status: "done" }, { to: [] }],
  ["an empty user (PC-45)", "to_required", personal, { job: "1" }, { status: "done" }, { to: "" }],
  ["a blank user among others (PC-45)", "to_required", personal, { job: "1" }, { status: "done" }, { to: ["u", " "] }],
  ["a user that is no string", "bad_request", personal, { job: "1" }, { status: "done" }, { to: ["u", 5] }],
  ["no user, said by null", "to_required", personal, { job: "1" }, { status: "done" }, { to: null }],
  ["1,001 users", "bad_request", personal, { job: "1" }, { status: "done" }, { to: Array.from({ length: 1_001 }, String) }],
];

test.each(REFUSED)("refuses %s with %s", async (_what, code, event, args, payload, emitOptions) => {
  await expect(createEmitRequest(event, args, payload, emitOptions)).rejects.toMatchObject({ code });
});

test("takes 1,000 users", async () => {
  const to = Array.from({ length: 1_000 }, String);
  expect((await createEmitRequest(personal, { job: "1" }, { status: "done" }, { to })).to).toEqual(to);
});

test("leaves out what only the schema's default says, so that the payload's field of that name is looked at", async () => {
  const event = createEventDefinition("a.b", {
    ...options,
    args: z.object({ repo: z.string().default("own"), branch: z.string().default("main"), tag: z.string().optional() }),
  });
  const send = async (args: object): Promise<unknown> => (await createEmitRequest(event, args, { status: "done" }, {})).arguments;
  expect(await send({ repo: "r" })).toEqual({ repo: "r" });
  expect(await send({ repo: "r", branch: "main", tag: "v1" })).toEqual({ repo: "r", branch: "main", tag: "v1" });
});
