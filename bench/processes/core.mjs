// A core in a process of its own. Argument: "durable" (SQLite in the given folder) or "nothing" (a store that stores nothing).
// Tells its parent `{url, app, key}` once it answers; ends with its parent.
import { randomBytes } from "node:crypto";
import { createApp, startCore } from "@wakeshift/core";
import { NothingStore } from "../nothing-store.mjs";

const [kind, dataDir = ""] = process.argv.slice(2);
const core = await startCore({
  port: 0,
  logLevel: "silent",
  ...(kind === "nothing" ? { store: new NothingStore() } : { dataDir }),
});
// A second core on the same folder has the first one's app already.
const { app, key } = await createApp({ store: core.store, now: () => Date.now(), randomBytes }, `bench ${process.pid}`);
// Any message asks for the CPU time this process has used, in microseconds.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system });
});
process.on("disconnect", () => void core.close());
process.send?.({ url: core.url, app: app.id, key: key.key });
