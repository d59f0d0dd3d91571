import { WakeshiftError } from "@wakeshift/protocol";
import type { CallEngine } from "../call/tool-call.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import type { Catalog } from "./catalog.ts";

/** What all attachments of one `Wakeshift` share. */
export interface Share {
  readonly owner: object;
  readonly engine: CallEngine;
  readonly events: () => readonly EventDefinition[];
  /** Told which tool declares which events, by name, as this becomes known. */
  readonly declares: (tool: string, events: ReadonlySet<string>) => void;
  /** By server name and version. */
  readonly catalogs: Map<string, Catalog>;
}

const shares: WeakMap<object, Share> = new WeakMap();

/** Makes a `Wakeshift` attachable from the package's other entries, without a word of it in its public type. */
export function keepShare(share: Share): void {
  shares.set(share.owner, share);
}

/** @throws WakeshiftError `bad_request` where `wake` is no `Wakeshift` of this copy of the package */
export function shareOf(wake: object): Share {
  const share = shares.get(wake);
  if (share === undefined)
    throw new WakeshiftError("bad_request", "That is no Wakeshift: pass what new Wakeshift() of this same copy of @wakeshift/sdk made.");
  return share;
}
