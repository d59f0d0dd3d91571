import { bridgeHome, resolveHomeFolder } from "../home.ts";
import { PROGRAM_REGISTRY } from "../programs/index.ts";
import { runWorker } from "./worker.ts";

// A parent that has gone closes this pipe; that is no reason to end.
process.stderr.on("error", () => undefined);
await runWorker(bridgeHome(resolveHomeFolder(process.env)), PROGRAM_REGISTRY, process.env);
