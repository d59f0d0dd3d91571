import { isRecord } from "@wakeshift/protocol";
/** What a reference within a schema refers to: by pointer, by anchor, or by the id of a definition. `undefined`: nothing here. */
export function resolveReference(reference: string, root: unknown): unknown {
  if (!isRecord(root)) return undefined;
  const id = root["$id"];
  const local = typeof id === "string" && id !== "" && reference.startsWith(id) ? reference.slice(id.length) : reference;
  if (local === "#" || local === "") return root;
  return local.startsWith("#/") ? resolvePointer(local.slice(2), root) : resolveName(local, root);
}

function resolvePointer(pointer: string, root: unknown): unknown {
  let place: unknown = root;
  for (const step of pointer.split("/")) {
    const name = decode(step)?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (name === undefined || typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return place;
}

/** The definition that calls itself so. */
function resolveName(reference: string, root: Readonly<Record<string, unknown>>): unknown {
  const anchor = reference.startsWith("#") ? reference.slice(1) : undefined;
  for (const keyword of ["$defs", "definitions"]) {
    const definitions = root[keyword];
    if (!isRecord(definitions)) continue;
    for (const each of Object.values(definitions)) {
      if (!isRecord(each)) continue;
      if (each["$id"] === reference) return each;
      if (anchor !== undefined && (each["$anchor"] === anchor || each["$dynamicAnchor"] === anchor)) return each;
    }
  }
  return undefined;
}

/** `undefined`: its percent signs stand for nothing. */
function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}
