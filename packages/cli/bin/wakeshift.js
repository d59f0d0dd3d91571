#!/usr/bin/env node
// A file of its own, so that npm can link the command before the sources are compiled.
try {
  await import("../dist/main.js");
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !String(error.message).includes("main.js")) throw error;
  console.error("wakeshift isn't compiled yet. Run: npm run build");
  process.exitCode = 1;
}
