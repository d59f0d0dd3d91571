// @ts-check
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What importing a package takes, whatever the machine's speed: the JavaScript files that a fresh process has loaded, Node's own
 * modules aside.
 * @param {string} folder whose node_modules are asked
 * @param {string} specifier
 * @returns {{ readonly modules: number, readonly bytes: number, readonly files: readonly string[] }}
 */
export function loadedModules(folder, specifier) {
  const work = mkdtempSync(join(tmpdir(), "loaded-"));
  const file = join(work, "urls");
  writeFileSync(file, "");
  // What a CommonJS file requires passes by the hooks; it stands in the cache instead.
  const code = `
    import { createRequire, register } from "node:module";
    register(${JSON.stringify(new URL("record-loads.mjs", import.meta.url).href)}, { data: ${JSON.stringify(file)} });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  try {
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8", timeout: 60_000 });
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], options);
    if (status !== 0) throw new Error(`importing ${specifier} failed: ${stderr}`);
    const urls = readFileSync(file, "utf8").split("\n");
    const loaded = urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
    const files = [...new Set([...loaded, ...JSON.parse(stdout)])].sort();
    return { modules: files.length, bytes: files.reduce((sum, path) => sum + statSync(path).size, 0), files };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
