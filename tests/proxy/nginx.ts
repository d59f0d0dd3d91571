import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Starts nginx with default buffering and gzip for all types in front of a core. Gives its URL. */
export async function startNginx(upstream: string): Promise<string> {
  const port = await freePort();
  const packing = "gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1; gzip_http_version 1.0;";
  await runNginx(`${packing} server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }`, port);
  return `http://127.0.0.1:${port}`;
}

/** Starts nginx with the block of docs/deploying.md, in which only port, certificate and the core's port are this test's. Gives its port. */
export async function startDocumentedNginx(
  corePort: number,
  certificate: { readonly key: string; readonly cert: string },
): Promise<number> {
  const page = readFileSync(new URL("../../docs/deploying.md", import.meta.url), "utf8");
  const port = await freePort();
  const own = [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["/etc/ssl/wake.example.com.pem", certificate.cert],
    ["/etc/ssl/wake.example.com.key", certificate.key],
    ["http://127.0.0.1:4870", `http://127.0.0.1:${corePort}`],
  ] as const;
  let block = /```nginx\n(.*?)```/s.exec(page)?.[1] ?? "";
  for (const [documented, here] of own) {
    if (!block.includes(documented)) throw new Error(`the page's nginx block has no ${documented}`);
    block = block.replace(documented, here);
  }
  await runNginx(block, port);
  return port;
}

async function runNginx(http: string, port: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "wakeshift-nginx-"));
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join(" ");
  writeFileSync(
    join(dir, "nginx.conf"),
    `daemon off; pid ${dir}/pid; error_log stderr warn; worker_processes 1;
     events { worker_connections 256; }
     http { access_log off; ${paths} ${http} }`,
  );
  const nginx = spawn("nginx", ["-p", dir, "-c", join(dir, "nginx.conf")], { stdio: "ignore" });
  const failed = new Promise<never>((_, reject) => nginx.once("error", reject));
  onTestFinished(async () => {
    const gone = new Promise((resolve) => nginx.once("exit", resolve));
    nginx.kill("SIGTERM");
    await gone;
    rmSync(dir, { recursive: true, force: true });
  });
  await Promise.race([listening(port), failed]);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function listening(port: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; ;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
