import type { ManifestAnswer, ManifestRequest } from "@wakeshift/protocol";
import { z } from "zod";
import { decideManifest } from "../../engine/app/manifest-decision.ts";
import { requestBudget } from "../../engine/schema/judge-checks.ts";
import type { PublishedSchema } from "../../judging/schema-judge.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";

const schema = z.record(z.string(), z.unknown());

export const manifestInput: InputReader<ManifestRequest> = inputReader(
  z.object({
    sdk: z.object({ language: z.string().max(40), version: z.string().max(40) }).exactOptional(),
    events: z
      .array(
        z.object({
          name: z.string().max(256),
          description: z.string().max(2_000),
          arguments: schema,
          payload: schema,
          access: z.array(z.enum(["personal", "authorize", "public"])).exactOptional(),
          personal: z.boolean().exactOptional(),
          tools: z.array(z.string().max(256)).exactOptional(),
        }),
      )
      .max(1_000)
      .default([]),
  }),
);

/**
 * `PUT /manifest`: tells the core which events an app has. Publishing what is there costs reads only. `closed` names the events
 * that became tools-only within the last minute, with how many subscriptions of other paths that ended; `stranded` those with live
 * subscriptions that were made when the event required other arguments, or was personal and isn't now, or the other way round.
 */
export function putManifest({ store, clock, log, events, judge }: CoreServices): AppCall<ManifestRequest> {
  return async (manifest, key): Promise<ManifestAnswer> => {
    const stored = await store.listEvents(key.appId);
    const decision = decideManifest(key.appId, manifest, stored);
    const schemas = decision.changed.flatMap(({ name, argumentsSchema, payloadSchema }): PublishedSchema[] => [
      { event: name, field: "arguments", schema: argumentsSchema },
      { event: name, field: "payload", schema: payloadSchema },
    ]);
    await judge.assertUsable(key.appId, schemas, requestBudget());
    const sdk = manifest.sdk === undefined ? undefined : `${manifest.sdk.language} ${manifest.sdk.version}`;
    const { changed, closed, stranded } = await events.put(decision.published, { now: clock.now(), sdk });
    if (changed.length > 0 && closed.length > 0)
      log.warn({ app: key.appId, closed }, "events were closed to all but their app's own tools");
    if (changed.length > 0 && stranded.length > 0)
      log.warn({ app: key.appId, stranded }, "events changed what routes are made of, so no emit matches subscriptions made before");
    return { events: decision.events, changed: decision.changed.length > 0, closed, ...(stranded.length === 0 ? {} : { stranded }) };
  };
}
