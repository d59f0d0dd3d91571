import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { frameworkModules } from "./frameworks.ts";
import type { FRAMEWORKS } from "./frameworks.ts";

const PACKAGES = fileURLToPath(new URL("../../../packages", import.meta.url));
const run = promisify(execFile);

/** Packs the SDK as it is published, and what it needs of ours, into a folder: the paths of the two. */
export async function packSdk(folder: string): Promise<{ readonly sdk: string; readonly protocol: string }> {
  const { stdout } = await run(
    "npm",
    ["pack", "--json", `--pack-destination=${folder}`, join(PACKAGES, "sdk"), join(PACKAGES, "protocol")],
    {
      cwd: folder,
    },
  );
  const [sdk, protocol]: { filename: string }[] = JSON.parse(stdout);
  if (sdk === undefined || protocol === undefined) throw new Error(`npm pack printed ${stdout}`);
  return { sdk: join(folder, sdk.filename), protocol: join(folder, protocol.filename) };
}

/** A folder of its own that has the packed SDK and everything of a set; gone when the test ends. */
export async function makePackedProject(set: keyof typeof FRAMEWORKS): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "packed-project-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  for (const name of await readdir(frameworkModules(set))) await symlink(join(frameworkModules(set), name), join(modules, name));
  await unpackSdk(modules);
  return folder;
}

/** Unpacks them into a `node_modules`. */
async function unpackSdk(modules: string): Promise<void> {
  await mkdir(modules, { recursive: true });
  for (const [name, tarball] of Object.entries(await packSdk(modules))) {
    const target = join(modules, "@wakeshift", name);
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  }
}
