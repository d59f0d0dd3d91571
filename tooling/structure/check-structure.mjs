// @ts-check
import { checkCircles } from "./circles.mjs";
import { readEntries } from "./read-entries.mjs";
import { readSources } from "./read-sources.mjs";
import { checkRooms } from "./rooms.mjs";
import { checkSizes } from "./sizes.mjs";

/** @typedef {import("./rooms.mjs").Finding} Finding */

/**
 * Every structure rule on one workspace.
 * @param {string} root
 * @returns {{ files: number, findings: readonly Finding[] }}
 */
export function checkStructure(root) {
  const sources = readSources(root);
  return { files: sources.length, findings: [...checkRooms(sources, readEntries(root)), ...checkCircles(sources), ...checkSizes(sources)] };
}
