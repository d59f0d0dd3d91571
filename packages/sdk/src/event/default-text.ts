const PAYLOAD_CHARACTERS = 200;

/** The line an agent reads first when the author wrote no `text`: what happened, and a short form of the payload. */
export function defaultText(description: string, payload: unknown): string {
  const sentence = description.trim().replace(/[.:;,]+$/, "");
  const json = JSON.stringify(payload);
  if (json === "{}" || json === "null") return `${sentence}.`;
  const characters = [...json];
  const short = characters.length > PAYLOAD_CHARACTERS ? `${characters.slice(0, PAYLOAD_CHARACTERS).join("")}…` : json;
  return `${sentence}: ${short}`;
}
