import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Our packages, by the folder they lie in and the name they are installed under. */
const PACKAGES = [
  ["cli", "wakeshift"],
  ["bridge", "@wakeshift/bridge"],
  ["core", "@wakeshift/core"],
  ["programs", "@wakeshift/programs"],
  ["protocol", "@wakeshift/protocol"],
  ["sdk", "@wakeshift/sdk"],
] as const;

/**
 * Installs this build a second time, as another version would be: the published files of each package under `node_modules`
 * of a folder of its own, with that version in every package.json. Gives the path of its command.
 */
export function installNewerVersion(folder: string, version: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@wakeshift"), { recursive: true });
  const own = new Set<string>(PACKAGES.map(([, name]) => name));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (!name.startsWith(".") && name !== "@wakeshift" && !own.has(name))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const [source, name] of PACKAGES) {
    const from = join(ROOT, "packages", source);
    const to = join(modules, name);
    cpSync(join(from, "dist"), join(to, "dist"), { recursive: true });
    const packed = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Record<string, unknown>;
    writeFileSync(join(to, "package.json"), JSON.stringify({ ...packed, version }));
  }
  const command = join(modules, "wakeshift");
  cpSync(join(ROOT, "packages", "cli", "bin"), join(command, "bin"), { recursive: true });
  cpSync(join(ROOT, "plugins"), join(command, "plugins"), { recursive: true });
  return join(command, "bin", "wakeshift.js");
}
