import { WakeshiftError } from "@wakeshift/protocol";
import type { CallEngine } from "../call/tool-call.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import type { Catalog } from "./catalog.ts";

/** What all attachments of one `Wakeshift` share. */
export interface Share {
  readonly owner: object;
  readonly engine: CallEngine;
  /** Why there is no app key to use, if there is none: nothing can subscribe or be emitted. */
  readonly keyFault: WakeshiftError | undefined;
  readonly events: () => readonly EventDefinition[];
  /** Told which tool declares which events, by name, as this becomes known. */
  readonly declares: (tool: string, events: ReadonlySet<string>) => void;
  /** Notes that callers of some server are never signed in: from then on no personal event can be defined. */
  readonly attachedWithoutIdentify: () => void;
  /** By server name and version. */
  readonly catalogs: Map<string, Catalog>;
}

const shares: WeakMap<object, Share> = new WeakMap();

/** Makes a `Wakeshift` attachable from the package's other entries, without a word of it in its public type. */
export function keepShare(share: Share): void {
  shares.set(share.owner, share);
}

/**
 * For attaching: says once, at the start of a server, what its first call would fail with.
 * @throws WakeshiftError `bad_request` where `wake` is no `Wakeshift` of this copy of the package
 */
export function shareOf(wake: object): Share {
  const share = shares.get(wake);
  if (share === undefined)
    throw new WakeshiftError("bad_request", "That is no Wakeshift: pass what new Wakeshift() of this same copy of @wakeshift/sdk made.");
  const { keyFault } = share;
  if (keyFault !== undefined)
    share.engine.log.tellOnce("", { level: "warn", code: "no_key", error: keyFault.code, message: keyFault.message });
  return share;
}
