import { PROGRAM_REGISTRY } from "@wakeshift/programs";
import { readBridgeConfig } from "./config.ts";
import { runWorker } from "./worker.ts";

// A parent that has gone closes this pipe; that is no reason to end.
process.stderr.on("error", () => undefined);
await runWorker(readBridgeConfig(process.env), PROGRAM_REGISTRY, process.env);
