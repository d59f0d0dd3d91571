// @ts-check
// Module hooks that write down what is loaded, a URL a line. They run beside the program, in a thread of Node's.
import { appendFileSync } from "node:fs";

let file = "";

/** @type {import("node:module").InitializeHook<string>} */
export const initialize = (data) => {
  file = data;
};

/** @type {import("node:module").LoadHook} */
export const load = (url, context, nextLoad) => {
  appendFileSync(file, `${url}\n`);
  return nextLoad(url, context);
};
