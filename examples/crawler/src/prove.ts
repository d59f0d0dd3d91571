import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SUBSCRIPTION_META_KEY, type SubscriptionMetaEntry, type Wake } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import { createParser } from "eventsource-parser";
import { defineCrawlFinished } from "./events.ts";

// Goes the whole way once, as an agent program and its bridge would: calls the tool over MCP, takes the ticket out of
// the result, opens a stream with it, emits, and waits for the wake. Prints one JSON line with the times.

const [url] = process.argv.slice(2);
if (url === undefined) {
  console.error("usage: prove <MCP address>");
  process.exit(2);
}
const giveUp = AbortSignal.timeout(20_000);
const job = `proof-${randomUUID()}`;

const callStarted = performance.now();
const ticket = await callWatchCrawl(url);
const subscribedMs = performance.now() - callStarted;

const wake = new Wakeshift();
const crawlFinished = defineCrawlFinished(wake);
// The first emit of a process publishes its events; what is measured is an emit of an app that runs.
await crawlFinished.emit({ job: `warm-up-${job}` }, { status: "done" });
let emittedAt = 0;
const { occurrence } = await waitForWake(ticket, async () => {
  emittedAt = performance.now();
  await crawlFinished.emit({ job }, { status: "done" });
});
const wokenMs = performance.now() - emittedAt;
console.log(JSON.stringify({ occurrence, subscribed_ms: Math.round(subscribedMs), woken_ms: Math.round(wokenMs * 10) / 10 }));
process.exit(0);

async function callWatchCrawl(address: string): Promise<SubscriptionMetaEntry> {
  const client = new Client({ name: "wakeshift-proof", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  try {
    const result = await client.callTool({ name: "watch_crawl", arguments: { job, once: true } });
    const entries = result._meta?.[SUBSCRIPTION_META_KEY] as readonly SubscriptionMetaEntry[] | undefined;
    const entry = entries?.[0];
    if (entry === undefined) throw new Error(`the tool's result carries no subscription: ${JSON.stringify(result.content)}`);
    return entry;
  } finally {
    await client.close();
  }
}

async function waitForWake(entry: SubscriptionMetaEntry, whenReady: () => Promise<void>): Promise<Wake> {
  const holder = randomUUID() + randomUUID();
  const answer = await fetch(`${entry.core}/api/wakes/v1/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ holder, tickets: [entry.ticket] }),
    signal: giveUp,
  });
  if (!answer.ok || answer.body === null) throw new Error(`the stream answered ${String(answer.status)}: ${await answer.text()}`);
  const events: { readonly event: string | undefined; readonly data: string }[] = [];
  const parser = createParser({ onEvent: (event) => events.push({ event: event.event, data: event.data }) });
  const decoder = new TextDecoder();
  let emitting: Promise<void> | undefined;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { event, data } of events.splice(0)) {
      if (event === "ready") emitting = whenReady();
      if (event === "ended") throw new Error(`the ticket was refused: ${data}`);
      if (event !== "wake") continue;
      const received = JSON.parse(data) as Wake;
      await emitting;
      await acknowledge(entry, holder, received);
      return received;
    }
  }
  throw new Error("the stream ended without a wake");
}

async function acknowledge(entry: SubscriptionMetaEntry, holder: string, received: Wake): Promise<void> {
  await fetch(`${entry.core}/api/wakes/v1/ack`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ holder, acks: [{ ticket: entry.ticket, occurrence: received.occurrence, state: "handed" }] }),
    signal: giveUp,
  });
}
