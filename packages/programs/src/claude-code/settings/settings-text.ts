import jsonc from "jsonc-parser";
import type { Node } from "jsonc-parser";

/** A comma, and what may stand before it: space and comments. */
const COMMA = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/;

/**
 * The settings as a tree with positions, comments and trailing commas allowed. `undefined` where the text is no JSON
 * object, and so can't be changed safely.
 */
export function parseSettings(text: string): Node | undefined {
  const errors: jsonc.ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && root?.type === "object" ? root : undefined;
}

/** Whether the text is JSON without comments and trailing commas: Claude Code (2.1.332) reads nothing of settings that have them. */
export function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value of a member, `undefined` where there is none. */
export function member(object: Node | undefined, name: string): Node | undefined {
  return object?.type === "object" ? object.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1] : undefined;
}

/** Puts one more child after the last of an object or array. Everything else keeps its bytes. */
export function appendChild(text: string, container: Node, child: string, indent: string): string {
  const last = container.children?.at(-1);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const depth = lineIndent(text, container.offset);
  const body = `${eol}${depth}${indent}${child.replaceAll("\n", `${eol}${depth}${indent}`)}`;
  if (last === undefined) {
    const from = container.offset + 1;
    const isOneLine = !text.slice(from, container.offset + container.length).includes("\n");
    return splice(text, from, 0, isOneLine ? `${body}${eol}${depth}` : body);
  }
  // A comment behind the last child on its line stays with it, and so does a trailing comma.
  const end = last.offset + last.length;
  const comma = COMMA.exec(text.slice(end));
  const withComma = comma === null ? splice(text, end, 0, ",") : text;
  const behind = end + (comma === null ? 1 : comma[0].length);
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/.exec(withComma.slice(behind));
  return splice(withComma, behind + (comment?.[0].length ?? 0), 0, body);
}

/** Takes one child out, with the comma that set it apart. Everything else keeps its bytes. */
export function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const place = children.indexOf(child);
  const before = children[place - 1];
  const after = children[place + 1];
  const end = child.offset + child.length;
  if (before !== undefined) {
    const from = before.offset + before.length;
    const gap = text.slice(from, child.offset);
    const comma = COMMA.exec(gap)?.[0].length ?? 0;
    return splice(text, from, end - from, (gap.slice(0, Math.max(0, comma - 1)) + gap.slice(comma)).trimEnd());
  }
  if (after !== undefined) return splice(text, child.offset, after.offset - child.offset, "");
  // The only one: what stands around it goes too where it is nothing but space and a comma.
  const from = container.offset + 1;
  const inner = container.length - 2;
  const around = text.slice(from, child.offset) + text.slice(end, from + inner);
  return /^[\s,]*$/.test(around) ? splice(text, from, inner, "") : splice(text, child.offset, child.length, "");
}

/** What one step of indentation is in this text. */
export function indentOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

function lineIndent(text: string, offset: number): string {
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(from, offset))?.[0] ?? "";
}

function splice(text: string, at: number, length: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + length);
}
