#!/usr/bin/env node
// Whoever read what we write may be gone (`| head`, a closed terminal, a supervisor that ended). That must end neither a core nor a
// bridge: without a listener, Node throws.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// A hook runs at every tool call of an agent program: it must not pay for loading the other commands. No program asks for help.
const asksForHelp = process.argv.slice(3).some((argument) => argument === "--help" || argument === "-h");
if (process.argv[2] === "hook" && !asksForHelp) {
  const { hook } = await import("./commands/hook.ts");
  await hook(process.argv.slice(3));
} else {
  const { run } = await import("./run.ts");
  process.exitCode = await run(process.argv);
}
