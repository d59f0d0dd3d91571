/** The readable text of a content value in any of the three model protocols: a string, a part, or a list of parts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part) => plainText(part)).join("\n");
  if (content === null || typeof content !== "object") return "";
  const part = content as Record<string, unknown>;
  if (typeof part["text"] === "string") return part["text"];
  return plainText(part["content"]);
}

/** Every string anywhere in a JSON value, one a line: what a test searches for a wake. */
export function allStrings(value: unknown): string {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node === "string") found.push(node);
    else if (Array.isArray(node)) node.forEach(visit);
    else if (node !== null && typeof node === "object") Object.values(node).forEach(visit);
  };
  visit(value);
  return found.join("\n");
}
