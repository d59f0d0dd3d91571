import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { AckState } from "@wakeshift/protocol";
import type {
  AckResult,
  EmitInput,
  EmitResult,
  Hash,
  Store,
  StoreListener,
  SubscribeInput,
  SubscribeResult,
  SubscriptionRecord,
  TicketResolution,
} from "../../engine/store.ts";
import type { ManualClock } from "./manual-clock.ts";

/** One store with its own database, for one test. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

export interface Subscribed {
  readonly subscription: SubscriptionRecord;
  readonly ticket: Hash;
}

/** SHA-256 of any text, as the store takes it. */
export function hashOf(text: string): Hash {
  return createHash("sha256").update(text).digest("hex");
}

export const HOLDER: Hash = hashOf("holder");
export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;

/** What the tests say in one word: an app, and calls with everything not under test filled in. */
export class World {
  store: Store;
  readonly clock: ManualClock;
  private readonly opened: StoreUnderTest;
  private count = 0;

  constructor(opened: StoreUnderTest) {
    this.opened = opened;
    this.store = opened.store;
    this.clock = opened.clock;
  }

  static async open(open: () => Promise<StoreUnderTest>): Promise<World> {
    const world = new World(await open());
    await world.store.createApp({ id: "app_a", name: "Crawler", createdAt: world.clock.now() });
    return world;
  }

  async reopen(): Promise<void> {
    this.store = await this.opened.reopen();
  }

  close(): Promise<void> {
    return this.opened.close();
  }

  subscribeInput(over: Partial<SubscribeInput> = {}): SubscribeInput {
    const n = (this.count += 1);
    return {
      id: `sub_${randomBytes(16).toString("hex")}`,
      appId: "app_a",
      event: "crawl.finished",
      route: hashOf("route"),
      shape: '{"personal":false,"required":["job"]}',
      eventDigest: undefined,
      arguments: '{"job":"1"}',
      filter: "{}",
      user: undefined,
      client: "codex",
      harness: undefined,
      newConversation: { id: `conversation-${n}`, sessionHash: hashOf(`session-${n}`) },
      conversationId: undefined,
      via: "tool",
      tool: "start_crawl",
      callId: undefined,
      once: false,
      now: this.clock.now(),
      expiresAt: this.clock.now() + 7 * DAY,
      replaySince: undefined,
      ticketHash: hashOf(`ticket-${n}`),
      limit: 100,
      callerLimit: 1_000_000,
      ...over,
    };
  }

  subscribe(over: Partial<SubscribeInput> = {}): Promise<SubscribeResult> {
    return this.store.subscribe(this.subscribeInput(over));
  }

  /** A subscription whose ticket is bound to {@link HOLDER}. */
  async subscribed(over: Partial<SubscribeInput> = {}): Promise<Subscribed> {
    const input = this.subscribeInput(over);
    const result = await this.store.subscribe(input);
    assert.ok(result.kind === "created" || result.kind === "renewed", `subscribe answered ${result.kind}`);
    await this.resolve(input.ticketHash);
    return { subscription: result.subscription, ticket: input.ticketHash };
  }

  async emit(id: string, over: Partial<EmitInput> = {}): Promise<EmitResult> {
    const result = await this.store.emit(this.emitInput(id, over));
    assert.ok(result !== undefined);
    return result;
  }

  emitInput(id: string, over: Partial<EmitInput> = {}): EmitInput {
    return {
      appId: "app_a",
      event: "crawl.finished",
      id,
      arguments: '{"job":"1"}',
      payload: '{"status":"done"}',
      text: "The crawl is done.",
      emittedAt: this.clock.now(),
      routes: [hashOf("route")],
      eventDigest: undefined,
      ...over,
    };
  }

  async resolve(ticket: Hash, holder: Hash = HOLDER): Promise<TicketResolution> {
    const [resolution] = await this.store.resolveTickets([ticket], holder, this.clock.now());
    assert.ok(resolution !== undefined);
    return resolution;
  }

  /** The ids a claim hands out. */
  async claim(subscribed: Subscribed, taker = "taker", limit = 20): Promise<readonly string[]> {
    const { wakes } = await this.store.claim(subscribed.subscription.id, taker, limit);
    return wakes.map((wake) => wake.occurrenceId);
  }

  async ack(subscribed: Subscribed, occurrenceId: string, state: AckState = "handed", holder: Hash = HOLDER): Promise<AckResult> {
    const [result] = await this.store.ack([{ ticketHash: subscribed.ticket, occurrenceId, state }], holder, this.clock.now());
    assert.ok(result !== undefined);
    return result;
  }

  /** How many live subscriptions an emit to the route meets, by a fresh emit. */
  async matched(route: Hash = hashOf("route")): Promise<number> {
    return (await this.emit(`probe-${(this.count += 1)}`, { routes: [route] })).matched;
  }

  /** Everything told to a listener from now on. */
  record(): { emitted: Hash[]; ended: string[]; retired: Hash[]; reshaped: string[]; available: string[] } {
    const told = {
      emitted: [] as Hash[],
      ended: [] as string[],
      retired: [] as Hash[],
      reshaped: [] as string[],
      available: [] as string[],
    };
    const listener: StoreListener = {
      emitted: (routes) => void told.emitted.push(...routes),
      ended: (ended) => void told.ended.push(...ended.map((one) => `${one.subscriptionId} ${one.reason}`)),
      retired: (tickets) => void told.retired.push(...tickets),
      reshaped: (reshaped) => void told.reshaped.push(...reshaped.map((one) => `${one.event} ${one.shape}`)),
      available: (ids) => void told.available.push(...ids),
    };
    this.store.listen(listener);
    return told;
  }
}

/** Registers one test of the suite. */
export type Exercise = (title: string, body: (world: World) => Promise<void>) => void;
