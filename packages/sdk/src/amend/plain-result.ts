/**
 * A result that something can be added to: the given one, or, of a class that writes itself as JSON, what it would travel as.
 * `undefined`: it is a stream, a web `Response` or anything else that is no tool result, and stays what it is.
 */
export function plainResult(result: object): object | undefined {
  const prototype: unknown = Object.getPrototypeOf(result);
  if (prototype === Object.prototype || prototype === null) return result;
  try {
    const written: unknown = JSON.parse(JSON.stringify(result));
    if (typeof written !== "object" || written === null) return undefined;
    const { content, structuredContent } = written as { readonly content?: unknown; readonly structuredContent?: unknown };
    return Array.isArray(content) || structuredContent !== undefined ? written : undefined;
  } catch {
    return undefined;
  }
}
