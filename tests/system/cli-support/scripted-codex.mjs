#!/usr/bin/env node
// A codex command for set-up's tests: its version, its queue command unless CODEX_SCRIPT=old, and the part of its app-server
// that lists and trusts the hooks of hooks.json. CODEX_SCRIPT=mute: that app-server ends without an answer; hanging: it never
// gives one; slow: each start takes two seconds; untrusting: it trusts nothing; refusing: it refuses to store trust or to
// forget it.
import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [command] = process.argv.slice(2);
const script = process.env.CODEX_SCRIPT ?? "";
const home = process.env.CODEX_HOME;

if (command === "--version") console.log(`codex-cli ${script === "old" ? "0.99.0" : "0.171.0"}`);
else if (command === "queue" && script === "old") process.exit(2);
else if (command === "queue" && process.argv.includes("--thread")) queue(process.argv.slice(3));
else if (command === "queue") console.log("Usage: codex queue --thread <THREAD> --message <MESSAGE>");
else if (command === "app-server" && script === "mute") process.exit(3);
else if (command === "app-server" && script === "hanging") process.stdin.resume();
else if (command === "app-server") setTimeout(serve, script === "slow" ? 2_000 : 0);

/** `queue --thread THREAD --message=TEXT`: keeps the text where a test finds it. */
function queue([, thread, message]) {
  appendFileSync(join(home, "queued.txt"), `${message}\n`);
  console.log(`Queued message ${randomUUID()} for thread ${thread}.`);
}

function serve() {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "config/batchWrite" && script === "refusing")
      return console.log(JSON.stringify({ id, error: { message: "read-only" } }));
    if (method === "config/batchWrite" && script !== "untrusting") trust(params.edits);
    console.log(JSON.stringify({ id, result: method === "hooks/list" ? { data: [{ hooks: hooks(), warnings: [] }] } : {} }));
  });
}

function trust(edits) {
  const trusted = new Set(readTrusted());
  for (const { keyPath, value } of edits) {
    const key = /^hooks\.state\.("(?:[^"\\]|\\.)*")/.exec(keyPath)?.[1];
    if (value === null) trusted.delete(JSON.parse(key));
    else trusted.add(JSON.parse(key));
  }
  writeFileSync(join(home, "config.toml"), `# ${JSON.stringify([...trusted])}\n`);
}

function readTrusted() {
  const path = join(home, "config.toml");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8").slice(2)) : [];
}

function hooks() {
  const path = join(home, "hooks.json");
  if (!existsSync(path)) return [];
  const trusted = readTrusted();
  return Object.entries(JSON.parse(readFileSync(path, "utf8")).hooks ?? {}).flatMap(([eventName, groups]) =>
    groups.flatMap((group, place) =>
      group.hooks.map((hook, inner) => {
        const key = `${path}:${eventName}:${place}:${inner}`;
        const currentHash = createHash("sha256").update(JSON.stringify(hook)).digest("hex");
        const trustStatus = trusted.includes(key) ? "trusted" : "untrusted";
        return { key, command: hook.command, eventName, sourcePath: path, enabled: true, currentHash, trustStatus };
      }),
    ),
  );
}
