#!/usr/bin/env node
// A hook runs at every tool call of an agent program: it must not pay for loading the other commands. No program asks for help.
const asksForHelp = process.argv.slice(3).some((argument) => argument === "--help" || argument === "-h");
if (process.argv[2] === "hook" && !asksForHelp) {
  const { hook } = await import("./commands/hook.ts");
  await hook(process.argv.slice(3));
} else {
  const { run } = await import("./run.ts");
  process.exitCode = await run(process.argv);
}
