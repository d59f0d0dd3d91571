import { WakeshiftError, cleanLine } from "@wakeshift/protocol";

/** An app of a core as this machine knows it. The name is what the app's results say. */
export interface KnownApp {
  readonly id: string;
  readonly name: string;
}

/**
 * The app that a user means by an id or a name.
 *
 * @throws WakeshiftError `bad_request` if none or several are meant; it names those that are known
 */
export function findApp(known: readonly KnownApp[], text: string, origin: string): KnownApp {
  const apps = [...new Map(known.map((app) => [app.id, app])).values()];
  const byId = apps.find((app) => app.id === text);
  const byName = apps.filter((app) => app.name === text);
  const found = byId ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) return found;
  const list = (byName.length > 0 ? byName : apps).map((app) => cleanLine(`${app.name.slice(0, 80)} (${app.id})`)).join(", ");
  const shown = JSON.stringify(cleanLine(text.slice(0, 80)));
  if (byName.length > 0) throw new WakeshiftError("bad_request", `Several apps of ${origin} are called ${shown}: ${list}. Give the id.`);
  throw new WakeshiftError(
    "bad_request",
    `No app of ${origin} is called ${shown} or has that id. ${list === "" ? "No conversation of this machine has subscribed there." : `Known: ${list}.`}`,
  );
}
