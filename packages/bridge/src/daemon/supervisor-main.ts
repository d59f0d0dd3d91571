import { readBridgeConfig } from "./config.ts";
import { superviseBridge } from "./supervisor.ts";

await superviseBridge(readBridgeConfig(process.env).home, process.env);
process.exit(0);
