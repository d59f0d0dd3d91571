import { createHash } from "node:crypto";
import type { Store, SubscribeInput } from "@wakeshift/core";
import type { AppClient } from "./core-client.ts";
import { CRAWL, subscribe } from "./core-world.ts";

const AT_ONCE = 400;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What of a crowd of subscriptions to `crawl.finished` was made how. */
export interface Crowd {
  /** By the app's tool. */
  readonly tools: number;
  /** Through `subscribe_events`. */
  readonly others: number;
}

/** Makes so many subscriptions, each of a conversation of its own: over HTTP that would take minutes. */
export async function subscribeMany(
  app: AppClient,
  { store, appId }: { store: Store; appId: string },
  { tools, others }: Crowd,
): Promise<void> {
  const { id } = await subscribe(app);
  const [first] = await store.listSubscriptions({ appId, id }, Date.now());
  if (first === undefined) throw new Error("what was just subscribed isn't there");
  const input = (n: number): SubscribeInput => {
    const byTool = n < tools - 1;
    return {
      ...{ id: `sub_${n.toString(16).padStart(32, "0")}`, appId, event: CRAWL.name, route: first.route, arguments: first.arguments },
      ...{
        shape: '{"personal":false,"required":["job"]}',
        eventDigest: undefined,
        filter: "{}",
        user: n % 3 === 0 ? `user-${n}` : undefined,
        client: "c",
        harness: undefined,
      },
      ...{ newConversation: { id: `cnv-${n}`, sessionHash: hashOf(`session-${n}`) }, conversationId: undefined },
      ...{ via: byTool ? "tool" : "subscribe_events", tool: byTool ? "start_crawl" : "subscribe_events", callId: undefined, once: false },
      ...{
        now: Date.now(),
        expiresAt: first.expiresAt,
        replaySince: undefined,
        ticketHash: hashOf(`ticket-${n}`),
        limit: 100,
        callerLimit: 1_000_000,
      },
    };
  };
  // The tools' are spread among the others.
  const order = Array.from({ length: others + tools - 1 }, (_, n) => n).sort((one, other) =>
    hashOf(`${one}`) < hashOf(`${other}`) ? -1 : 1,
  );
  for (let n = 0; n < order.length; n += AT_ONCE)
    await Promise.all(order.slice(n, n + AT_ONCE).map((number) => store.subscribe(input(number))));
}
