import { bridgeHome } from "../home.ts";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import { watchBridge } from "./watch-bridge.ts";

const [program = "", pid = ""] = process.argv.slice(2);
await watchBridge(bridgeHome(resolveHomeFolder(process.env)), process.env, program, Number(pid));
process.exit(0);
