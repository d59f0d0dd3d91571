// @ts-check
import ts from "typescript";

const TEST_FUNCTIONS = new Set(["it", "test", "describe"]);
const NOT_RUN = new Set(["skip", "todo"]);
const ID = /\b(?:seed-\d+[a-z]?|PC-\d+)\b/g;

/**
 * The rule ids in the title of a test.
 * @param {string} title
 * @returns {readonly string[]}
 */
export function idsIn(title) {
  return title.match(ID) ?? [];
}

/**
 * The rule ids that titles of tests cite. Comments, other texts, skipped tests and tests yet to write don't count. Whether the others
 * ran, only a report knows.
 * @param {string} path for messages and the choice of grammar
 * @param {string} text
 * @returns {readonly string[]}
 */
export function citedIds(path, text) {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Set<string>} */
  const ids = new Set();
  /** @param {ts.Node} node */
  function visit(node) {
    if (ts.isCallExpression(node)) {
      const names = namesOf(node.expression);
      if (TEST_FUNCTIONS.has(String(names[0]))) {
        if (names.some((name) => NOT_RUN.has(name))) return;
        for (const id of idsIn(titleOf(node.arguments[0]))) ids.add(id);
      }
    }
    ts.forEachChild(node, visit);
  }
  visit(tree);
  return [...ids];
}

/**
 * `it.each([…])` gives `["it", "each"]`.
 * @param {ts.Expression} expression
 * @returns {string[]}
 */
function namesOf(expression) {
  if (ts.isIdentifier(expression)) return [expression.text];
  if (ts.isPropertyAccessExpression(expression)) return [...namesOf(expression.expression), expression.name.text];
  if (ts.isCallExpression(expression)) return namesOf(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return namesOf(expression.tag);
  return [];
}

/**
 * The text of a title, also one put together by `+` or a template.
 * @param {ts.Expression | undefined} title
 * @returns {string}
 */
function titleOf(title) {
  if (title === undefined) return "";
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title)) return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)].join(" ");
  if (ts.isBinaryExpression(title)) return `${titleOf(title.left)}${titleOf(title.right)}`;
  return "";
}
