// @ts-check
import { dirname } from "node:path/posix";
import ts from "typescript";

/** @typedef {import("./read-sources.mjs").Source} Source */
/** @typedef {import("./rooms.mjs").Finding} Finding */

export const MAX = { fileLines: 600, functionLines: 100, folderFiles: 16 };

const BUCKET = /^(utils?|helpers?|common|misc|types|shared|lib)$/;

/**
 * Files, functions and folders that grew too large, and buckets for anything.
 * @param {readonly Source[]} sources
 * @returns {Finding[]}
 */
export function checkSizes(sources) {
  return [...sources.flatMap(checkFile), ...sources.filter((source) => !source.test).flatMap(checkFunctions), ...checkFolders(sources)];
}

/**
 * @param {Source} source
 * @returns {Finding[]}
 */
function checkFile(source) {
  /** @type {Finding[]} */
  const findings = [];
  if (source.lines > MAX.fileLines) {
    const advice = source.test ? "Split it by behaviour." : "Find the second idea in it and give that a file of its own.";
    findings.push({ level: "error", place: source.path, message: `has ${source.lines} lines; ${MAX.fileLines} are the most. ${advice}` });
  }
  const bucket = source.path.split("/").find((part) => BUCKET.test(part.replace(/(\.test)?\.[a-z]+$/, "")));
  if (bucket !== undefined) {
    const message = `"${bucket}" is a bucket. Name a file after its main export, a folder after its responsibility, and put a type next to its use.`;
    findings.push({ level: "error", place: source.path, message });
  }
  return findings;
}

/**
 * @param {Source} source
 * @returns {Finding[]}
 */
function checkFunctions(source) {
  /** @type {Finding[]} */
  const findings = [];
  /** @param {ts.Node} node */
  function visit(node) {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = source.tree.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = source.tree.getLineAndCharacterOfPosition(node.getEnd()).line;
      if (last - first + 1 > MAX.functionLines) {
        findings.push({
          level: "error",
          place: `${source.path}:${first + 1}`,
          message: `${nameOf(node)} has ${last - first + 1} lines; ${MAX.functionLines} are the most. Give its steps names: pure decisions first, in files of their own.`,
        });
      }
    }
    ts.forEachChild(node, visit);
  }
  visit(source.tree);
  return findings;
}

/**
 * @param {ts.SignatureDeclaration} node
 * @returns {string}
 */
function nameOf(node) {
  if (node.name !== undefined) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return "the constructor";
  return ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent)
    ? node.parent.name.getText()
    : "a function without a name";
}

/**
 * @param {readonly Source[]} sources
 * @returns {Finding[]}
 */
function checkFolders(sources) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const source of sources) {
    if (!source.test) counts.set(dirname(source.path), (counts.get(dirname(source.path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX.folderFiles)
    .map(([folder, count]) => ({
      level: "warning",
      place: folder,
      message: `holds ${count} source files; ${MAX.folderFiles} are the most to overlook. Group those with one responsibility in a folder of their own.`,
    }));
}
