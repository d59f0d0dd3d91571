const PAYLOAD_CHARACTERS = 200;

/**
 * The line an agent reads first where an emit brings no text: what happened, by the event's description, and a short form of the
 * payload, which is given as JSON.
 */
export function defaultText(description: string, payload: string): string {
  const sentence = description.trim().replace(/[.:;,]+$/, "");
  if (payload === "{}" || payload === "null") return `${sentence}.`;
  // A character takes two places at most, and a payload may be long.
  const characters = [...payload.slice(0, (PAYLOAD_CHARACTERS + 1) * 2)];
  const short = characters.length > PAYLOAD_CHARACTERS ? `${characters.slice(0, PAYLOAD_CHARACTERS).join("")}…` : payload;
  return `${sentence}: ${short}`;
}
