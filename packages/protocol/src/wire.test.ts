import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import type {
  Addition,
  AppAnswer,
  CallFacts,
  EmitAnswer,
  EmitRequest,
  EndedAnswer,
  EndMatchingRequest,
  EndRequest,
  ErrorAnswer,
  ListAnswer,
  ListedSubscription,
  ListRequest,
  ManifestAnswer,
  ManifestEvent,
  ManifestRequest,
  RollbackRequest,
  SubscribeAnswer,
  SubscribeRequest,
  UnsubscribeRequest,
} from "./app-api.ts";
import type { SubscriptionMetaEntry } from "./result-meta.ts";
import { formatSecret } from "./secret/secret.ts";
import type {
  AckAnswer,
  AckRequest,
  ComeBack,
  CoreIdentity,
  Ended,
  EndTicketsRequest,
  Gap,
  HelloAnswer,
  HelloRequest,
  LiveTicket,
  NextAnswer,
  NextRequest,
  Ready,
  Stranded,
  StreamRequest,
  Wake,
} from "./wake-api.ts";

// One whole value of each shape: the compiler holds it to the code, the test holds it to the schema.
const ticket = formatSecret("ticket", randomBytes(32));
const app = { id: "app_1", name: "Crawler" };
const gap: Gap = { subscription: "sub_1", ticket_id: "0123456789abcdef" };
const ended: Required<Ended> = { ...gap, reason: "expired" };
const wake: Required<Wake> = {
  ...gap,
  occurrence: "evt_1",
  seq: 7,
  event: "crawl.finished",
  app,
  arguments: { job: "j1" },
  text: "Done.",
  payload: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  once: true,
  lease_ms: 30_000,
};
const live: Required<LiveTicket> = { ...gap, app, event: "crawl.finished", arguments: { job: "j1" }, stranded: true };
const core: Required<CoreIdentity> = { id: `core_${"0".repeat(32)}`, version: "1.0.0" };
const entry: Required<SubscriptionMetaEntry> = {
  v: 1,
  core: "https://core.example",
  coreId: core.id,
  ticket,
  id: "sub_1",
  event: "crawl.finished",
  arguments: {},
  once: false,
  expiresAt: "2026-01-01T00:00:00.000Z",
  tool: "start_crawl",
  app,
};
const session = formatSecret("session", randomBytes(32));
const call: Required<CallFacts> = {
  client: "codex-mcp-client",
  client_by: "initialize",
  user: "ada",
  meta: {},
  session,
  user_agent: "codex",
  conversation: "c",
  harness: "codex",
  tool: "start_crawl",
  call_id: "call-1",
};
const event: Required<ManifestEvent> = {
  name: "crawl.finished",
  description: "A crawl finished",
  arguments: { type: "object" },
  payload: { type: "object" },
  access: ["personal", "authorize"],
  personal: true,
  tools: ["start_crawl"],
};
const addition: Required<Addition> = { text: "Subscribed.", structured: {}, meta: {} };
const listed: Required<ListedSubscription> = {
  id: "sub_1",
  event: "crawl.finished",
  arguments: {},
  destination: "bridge",
  once: true,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
};
const shapes = {
  "app-api": {
    CallFacts: call,
    AppAnswer: { ...app, key: { key_id: "k", name: "first key" }, core } satisfies Required<AppAnswer>,
    ManifestEvent: event,
    ManifestRequest: { sdk: { language: "typescript", version: "1.0.0" }, events: [event] } satisfies Required<ManifestRequest>,
    ManifestAnswer: {
      events: 1,
      changed: true,
      closed: [{ name: "crawl.finished", ended: 2 }],
      stranded: [{ name: "build.done", live: 3 }],
    } satisfies Required<ManifestAnswer>,
    EmitRequest: {
      name: "crawl.finished",
      arguments: {},
      payload: null,
      text: "Done.",
      id: "job-1",
      to: ["ada"],
    } satisfies Required<EmitRequest>,
    EmitAnswer: { id: "evt_1", matched: 1, connected: 1, duplicate: false } satisfies Required<EmitAnswer>,
    SubscribeRequest: {
      call,
      name: "crawl.finished",
      arguments: {},
      via: "tool",
      once: true,
      ttl_ms: 60_000,
      replay_ms: 0,
      native: false,
    } satisfies Required<SubscribeRequest>,
    SubscribeAnswer: {
      state: "subscribed",
      reason: "refused",
      event_subscription: { id: "sub_1", created: true, expires_at: "2026-01-02T00:00:00.000Z", once: true },
      session,
      agent: { harness: "codex", via: "initialize", claimed: false },
      addition,
    } satisfies Required<SubscribeAnswer>,
    Addition: addition,
    RollbackRequest: { call_id: "call-1" } satisfies Required<RollbackRequest>,
    EndedAnswer: { ended: 1 } satisfies Required<EndedAnswer>,
    UnsubscribeRequest: { call, name: "crawl.finished", arguments: {}, id: "sub_1" } satisfies Required<UnsubscribeRequest>,
    EndRequest: { user: "ada", id: "sub_1" } satisfies Required<EndRequest>,
    ListRequest: { call, user: "ada" } satisfies Required<ListRequest>,
    ListedSubscription: listed,
    ListAnswer: { subscriptions: [listed] } satisfies Required<ListAnswer>,
    EndMatchingRequest: { event: "crawl.finished", user: "ada", arguments: {} } satisfies Required<EndMatchingRequest>,
    ErrorAnswer: { error: { code: "bad_request", message: "No.", reason: "x" } } satisfies Required<ErrorAnswer>,
  },
  "wake-api": {
    CoreIdentity: core,
    HelloRequest: { nonce: "n".repeat(43), address: "http://127.0.0.1:4870" } satisfies Required<HelloRequest>,
    HelloAnswer: { core, proof: "p".repeat(43) } satisfies Required<HelloAnswer>,
    Wake: wake,
    Ended: ended,
    Gap: gap,
    Stranded: { ...gap, stranded: true } satisfies Required<Stranded>,
    Ready: { tickets: 1, ping_ms: 20_000, live: [live], core } satisfies Required<Ready>,
    LiveTicket: live,
    ComeBack: { retry_ms: 500 } satisfies Required<ComeBack>,
    StreamRequest: { holder: "h", tickets: [ticket] } satisfies Required<StreamRequest>,
    NextRequest: { holder: "h", tickets: [ticket], wait_ms: 50_000 } satisfies Required<NextRequest>,
    NextAnswer: { wakes: [wake], ended: [ended], gaps: [gap], retry_ms: 500, core } satisfies Required<NextAnswer>,
    AckRequest: { holder: "h", acks: [{ ticket, occurrence: "evt_1", state: "seen" }] } satisfies Required<AckRequest>,
    AckAnswer: { acks: [{ occurrence: "evt_1", result: "late" }] } satisfies Required<AckAnswer>,
    EndTicketsRequest: { holder: "h", tickets: [] } satisfies Required<EndTicketsRequest>,
  },
  "result-meta": { SubscriptionMetaEntry: entry },
};

describe.each(Object.entries(shapes))("wire schema %s", (file, values) => {
  const schema = JSON.parse(readFileSync(new URL(`../../../spec/wire/${file}.schema.json`, import.meta.url), "utf8")) as {
    readonly $defs: Readonly<Record<string, { readonly properties: object; readonly required?: readonly string[] }>>;
  };

  it("has the shapes of the code and no others", () => {
    expect(Object.keys(schema.$defs).sort()).toEqual(Object.keys(values).sort());
  });

  it.each(Object.entries<object>(values))("%s has the fields of the code, and takes a whole value", (name, value) => {
    expect(Object.keys(schema.$defs[name]?.properties ?? {}).sort()).toEqual(Object.keys(value).sort());
    const validator = new Validator({ ...schema, $ref: `#/$defs/${name}` }, "2020-12");
    expect(validator.validate(value).errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`)).toEqual([]);
    for (const field of schema.$defs[name]?.required ?? []) {
      const without = Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
      expect(validator.validate(without).valid, field).toBe(false);
    }
  });
});
