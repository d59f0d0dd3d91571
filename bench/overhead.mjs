// What attaching costs: the same server over stdio, with and without Wakeshift, asked in turns.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { quantile } from "./statistics.mjs";
import { within } from "./within.mjs";

const IMPORTS = 3;
/** Requests to one server before it is the other's turn. */
const BATCH = 10;

/**
 * How often each kind is asked by one pair, and before it counts: a server lives longer than its code takes to be compiled.
 * A list of 500 tools takes a tenth of a second.
 */
const KINDS = [
  { name: "list20", tools: 20, requests: 120, warmUp: 200, request: { method: "tools/list", params: {} } },
  { name: "list500", tools: 500, requests: 10, warmUp: 10, request: { method: "tools/list", params: {} } },
  { name: "call20", tools: 20, requests: 1_000, warmUp: 5_000, request: call("tool_7") },
  { name: "call500", tools: 500, requests: 1_000, warmUp: 5_000, request: call("tool_7") },
  { name: "wrapped20", tools: 20, requests: 1_000, warmUp: 5_000, request: call("start_crawl") },
];

/**
 * Measures one round: of each kind the median of its pairs' ratios, attached over bare, and what the bare ones took, in milliseconds.
 * @param {{ pairs: number, share: number }} size `pairs` of processes: two processes of the very same program differ by more than what
 *   is looked for here. `share`: which part of each kind's requests is sent.
 */
export async function measureOverhead({ pairs: count, share }) {
  const pairs = [];
  for (let pair = 0; pair < count; pair += 1)
    pairs.push(await measurePair(pair % 2 === 0 ? ["bare", "attached"] : ["attached", "bare"], share));
  return Object.fromEntries(
    ["import", ...KINDS.map(({ name }) => name)].map((name) => {
      const bare = pairs.map((pair) => pair[name].bare);
      const ratios = pairs.map((pair) => pair[name].attached / pair[name].bare);
      return [name, { bare: quantile(bare, 0.5), ratio: quantile(ratios, 0.5) }];
    }),
  );
}

/** `order`: which of the two is started first. */
async function measurePair(order, share) {
  const result = { import: compareImports() };
  for (const tools of [20, 500]) {
    const pair = {};
    for (const kind of order) pair[kind] = await openServer(tools, kind);
    const kinds = KINDS.filter((kind) => kind.tools === tools);
    for (const { name, request, warmUp } of kinds) await within(`the warm-up of ${name}`, compare(pair, request, warmUp * share));
    for (const { name, request, requests } of kinds) result[name] = await within(name, compare(pair, request, requests * share));
    await Promise.all(order.map((kind) => pair[kind].close()));
  }
  return result;
}

function call(name) {
  return { method: "tools/call", params: { name, arguments: { url: "https://example.com", depth: 2 } } };
}

/** The medians of both, in milliseconds. Which one begins a batch alternates. */
async function compare({ bare, attached }, request, requests) {
  const taken = { bare: [], attached: [] };
  const sides = [
    ["bare", bare.ask],
    ["attached", attached.ask],
  ];
  for (let batch = 0; batch < requests / BATCH; batch += 1) {
    sides.reverse();
    for (const [side, ask] of sides) {
      for (let each = 0; each < BATCH; each += 1) {
        const begin = performance.now();
        await ask(request);
        taken[side].push(performance.now() - begin);
      }
    }
  }
  return { bare: quantile(taken.bare, 0.5), attached: quantile(taken.attached, 0.5) };
}

/** A server of so many tools in a process of its own. `ask` resolves once the answer is read. */
async function openServer(tools, kind) {
  const file = fileURLToPath(new URL("processes/mcp.mjs", import.meta.url));
  // It ends when its stdin does.
  const child = spawn(process.execPath, [file, String(tools), kind], { stdio: ["pipe", "pipe", "inherit"] });
  let asked;
  const gone = new Promise((_, reject) => {
    child.once("exit", (code) => reject(new Error(`the ${kind} server of the bench ended with ${code}`)));
  });
  gone.catch(() => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.error !== undefined || message.result?.isError) throw new Error(`the ${kind} server of the bench refused: ${line}`);
    asked?.(message.result);
  });
  let ids = 0;
  const write = (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (request) => {
    const answered = new Promise((resolve) => {
      asked = resolve;
    });
    write({ id: (ids += 1), ...request });
    return Promise.race([answered, gone]);
  };
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await within(`the ${kind} server to start`, ask({ method: "initialize", params }));
  write({ method: "notifications/initialized" });
  const close = async () => {
    child.stdin.end();
    await within(
      `the ${kind} server to end`,
      gone.catch(() => undefined),
    );
  };
  return { ask, close };
}

/** Importing the root entry, beside importing the MCP SDK it is attached to: medians of fresh processes, in milliseconds. */
function compareImports() {
  const taken = { bare: [], attached: [] };
  for (let each = 0; each < IMPORTS; each += 1) {
    taken.bare.push(importMs("@modelcontextprotocol/server"));
    taken.attached.push(importMs("@wakeshift/sdk"));
  }
  return { bare: quantile(taken.bare, 0.5), attached: quantile(taken.attached, 0.5) };
}

function importMs(name) {
  const code = `const begin = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - begin);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
    timeout: 60_000,
  });
  const ms = Number(stdout.trim());
  if (!(ms > 0)) throw new Error(`importing ${name} failed: ${stderr}`);
  return ms;
}
