import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emit, startWorld, subscribe } from "../system/core-support/core-world.ts";
import { WakeStream } from "../system/core-support/wake-stream.ts";
import { startDocumentedNginx, startNginx } from "./nginx.ts";

test("PC-31 behind a default nginx that buffers and packs, a small wake arrives at once and unpacked", async () => {
  const world = await startWorld();
  const proxy = await startNginx(world.url);
  const { ticket } = await subscribe(world.app);
  const stream = await WakeStream.open(proxy, "holder-of-this-test", [ticket], { "Accept-Encoding": "gzip, br" });
  await stream.untilReady();
  expect(["identity", null]).toContain(stream.response.headers.get("content-encoding"));
  expect(stream.response.headers.get("cache-control")).toBe("no-store, no-transform");
  expect(stream.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  await emit(world.app);
  // A proxy that held it back would do so until its buffer is full, which one small wake never makes it: any arrival proves it.
  await stream.wakes(1, 10_000);
  stream.close();
});

test("the nginx block of docs/deploying.md hands a stream on byte by byte, under the core's public address", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-certificate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=wake -addext subjectAltName=DNS:wake.example.com";
  execFileSync("openssl", [...made.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  const world = await startWorld({ publicUrl: "https://wake.example.com" });
  const port = await startDocumentedNginx(Number(new URL(world.url).port), { key, cert });
  const { ticket } = await subscribe(world.app);

  let received = "";
  const arrived = async (text: string): Promise<void> => {
    for (const deadline = Date.now() + 10_000; !received.includes(text); await new Promise((resolve) => setTimeout(resolve, 10)))
      if (Date.now() > deadline) throw new Error(`no "${text}" in: ${received}`);
  };
  const stream = request(
    {
      ...{ host: "127.0.0.1", port, servername: "wake.example.com", ca: readFileSync(cert), method: "POST", path: "/api/wakes/v1/stream" },
      headers: { Host: "wake.example.com", "Content-Type": "application/json" },
    },
    (response) => response.setEncoding("utf8").on("data", (chunk: string) => (received += chunk)),
  );
  stream.on("error", (error) => (received += error.message)).end(JSON.stringify({ holder: "holder-of-this-test", tickets: [ticket] }));
  onTestFinished(() => void stream.destroy());
  await arrived("event: ready");
  const occurrence = await emit(world.app);
  await arrived(occurrence);
});
