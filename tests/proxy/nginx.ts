import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Starts nginx with default buffering and gzip for all types in front of a core. Gives its URL. */
export async function startNginx(upstream: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "wakeshift-nginx-"));
  const port = await freePort();
  writeFileSync(
    join(dir, "nginx.conf"),
    `daemon off; pid ${dir}/pid; error_log stderr warn; worker_processes 1;
     events { worker_connections 256; }
     http {
       access_log off; gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1; gzip_http_version 1.0;
       client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi; uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
       server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }
     }`,
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
  return `http://127.0.0.1:${port}`;
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
