import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

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

/** Unpacks them into a `node_modules`. */
export async function unpackSdk(modules: string): Promise<void> {
  await mkdir(modules, { recursive: true });
  for (const [name, tarball] of Object.entries(await packSdk(modules))) {
    const target = join(modules, "@wakeshift", name);
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  }
}
