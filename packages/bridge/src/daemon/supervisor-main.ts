import { bridgeHome, resolveHomeFolder } from "../home.ts";
import { superviseBridge } from "./supervisor.ts";

await superviseBridge(bridgeHome(resolveHomeFolder(process.env)), process.env);
process.exit(0);
