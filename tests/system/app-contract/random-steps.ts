import fc from "fast-check";
import { DAY, HOUR, MINUTE } from "./contract-app.ts";

/** Names what an earlier step gave, by its place: ids and session keys differ from core to core. */
type Place = number;

/** One request of a schedule, or a look at what was delivered. */
export type Step =
  | { readonly do: "publish"; readonly events: readonly object[] }
  | { readonly do: "subscribe"; readonly of: object; readonly caller: Caller; readonly terms: object }
  | {
      readonly do: "emit";
      readonly of: object;
      readonly payload: object;
      readonly to: { readonly to?: unknown };
      readonly id: { readonly id?: string };
    }
  | { readonly do: "unsubscribe"; readonly caller: Caller; readonly of: object; readonly one: Place | undefined }
  | { readonly do: "end"; readonly one: Place; readonly whose: { readonly user?: string } }
  | { readonly do: "end-matching"; readonly which: object }
  | { readonly do: "list"; readonly caller: Caller | undefined; readonly whose: { readonly user?: string } }
  | { readonly do: "rollback"; readonly call_id: string }
  | { readonly do: "forget"; readonly user: string }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "look" };

export interface Caller {
  readonly call: object;
  readonly session: Place | undefined;
}

const NAMES = ["crawl.finished", "build.done", "news.out"];
const USERS = ["ada", "ada", "bob", "Ada", "ada ", "", " ", "\0", "\ud800", "x".repeat(1_025)];
const VALUES = ["a", "a", "b", "", 1, null, "\0", "\ud800", "x".repeat(5_000)];

/** Times lie ten minutes apart and what runs out does so halfway: however slow a run is, both cores see the same side of each. */
const STEP_MS = 10 * MINUTE;
const HALF_MS = 5 * MINUTE;

function oneOf<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** A field that may be left out. */
function maybe<T>(field: string, value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<{ readonly [name: string]: T }> {
  return fc.option(value, { nil: undefined, freq }).map((given) => (given === undefined ? {} : { [field]: given }));
}

function merged(...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> {
  return fc.tuple(...parts).map((given) => Object.assign({}, ...given) as object);
}

const definition = fc
  .record({
    name: fc.oneof({ weight: 20, arbitrary: oneOf(NAMES) }, { weight: 1, arbitrary: oneOf(["Build Done", "wakeshift.done"]) }),
    description: oneOf(["Something happened", "Something else happened"]),
    access: oneOf([
      [],
      ["personal"],
      ["public"],
      ["authorize"],
      ["personal", "authorize"],
      ["authorize", "personal"],
      ["public", "personal"],
    ]),
    required: oneOf([["job"], ["job"], [], ["job", "branch"]]),
    job: oneOf([{ type: ["string", "null"] }, { type: ["string", "null"] }, { enum: ["a", null], title: "Job" }, { enum: ["a", null] }]),
    tools: oneOf([[], ["start"], ["start", "stop"], ["stop", "start", "stop"]]),
    payload: oneOf([{ type: "object" }, { type: "object", properties: { branch: { type: "string" } } }]),
  })
  .map(({ required, job, ...event }) => ({
    ...event,
    arguments: { type: "object", properties: { job, branch: { type: "string" } }, required },
  }));

const args = merged(maybe("job", oneOf(VALUES), 8), maybe("branch", oneOf(VALUES), 2));
const of = fc.record({
  name: fc.oneof({ weight: 20, arbitrary: oneOf(NAMES) }, { weight: 1, arbitrary: fc.constant("no.such") }),
  arguments: args,
});
const place = fc.nat({ max: 30 });
const some = fc.option(place, { nil: undefined, freq: 4 });
const caller = fc.record({
  call: merged(
    fc.record({
      client: oneOf(["codex-mcp-client", "codex-mcp-client", "claude-code", "else"]),
      tool: oneOf(["start", "start", "subscribe_events"]),
    }),
    maybe("user", oneOf(USERS), 3),
    maybe(
      "call_id",
      fc.nat({ max: 6 }).map((call) => `call-${String(call)}`),
      2,
    ),
  ),
  session: some,
});
const terms = merged(
  maybe("once", fc.boolean()),
  maybe("ttl_ms", oneOf([HALF_MS, STEP_MS + HALF_MS, 3 * STEP_MS + HALF_MS, MINUTE - 1, 30 * DAY])),
  maybe("replay_ms", oneOf([0, HALF_MS, HOUR + HALF_MS, DAY, DAY + 1, -1])),
  maybe("via", oneOf(["tool", "tool", "subscribe_events", "native"]), 1),
);
const to = oneOf([
  {},
  {},
  {},
  { to: "ada" },
  { to: ["ada", "bob", "ada"] },
  { to: "bob" },
  { to: [] },
  { to: " " },
  { to: ["ada", "ada "] },
]);
const payload = oneOf([
  {},
  { branch: "a" },
  { branch: "b", more: [1, null] },
  { branch: 1 },
  { branch: null, job: "a" },
  { more: "\0" },
  { more: ["\ud800"] },
  { more: "x".repeat(262_144 - 11) },
  { more: "x".repeat(262_144 - 10) },
]);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("publish" as const), events: fc.array(definition, { minLength: 1, maxLength: 2 }) }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("subscribe" as const), of, caller, terms }) },
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ do: fc.constant("emit" as const), of, payload, to },
      id: maybe(
        "id",
        fc.oneof(
          fc.nat({ max: 8 }).map((id) => `id ${String(id)}`),
          oneOf(["", "evt-1", "\0", "\ud800", "x".repeat(257), "é".repeat(128)]),
        ),
        2,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("unsubscribe" as const),
      caller,
      of: fc.oneof(
        of,
        of.map(({ name }) => ({ name })),
        fc.constant({}),
      ),
      one: some,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), one: place, whose: maybe("user", oneOf(USERS)) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("end-matching" as const),
      which: merged(maybe("event", oneOf(NAMES)), maybe("user", oneOf(USERS)), maybe("arguments", args)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      caller: fc.option(caller, { nil: undefined }),
      whose: maybe("user", oneOf(USERS)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("rollback" as const), call_id: fc.nat({ max: 6 }).map((call) => `call-${String(call)}`) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), user: oneOf(USERS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: oneOf([STEP_MS, 2 * STEP_MS]) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
);

/** Schedules that begin with every event published. */
export function schedules(minLength: number, maxLength: number): fc.Arbitrary<readonly Step[]> {
  const begin: fc.Arbitrary<Step> = fc
    .tuple(...NAMES.map((name) => definition.map((event) => ({ ...event, name, access: event.access.length > 1 ? [] : event.access }))))
    .map((events) => ({ do: "publish" as const, events }));
  return fc.tuple(begin, fc.array(step, { minLength, maxLength, size: "max" })).map(([first, others]) => [first, ...others]);
}
