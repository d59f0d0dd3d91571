import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startWorld } from "./core-support/core-world.ts";

interface Raw {
  readonly status: number;
  readonly body: any;
}

/** A request whose Host and Origin are exactly these. */
function raw(port: number, method: string, path: string, headers: Record<string, string>, host = "127.0.0.1"): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, headers, setHost: false, agent: false }, (response) => {
      let text = "";
      const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (isJson) return;
        sent.destroy();
        resolve({ status: response.statusCode ?? 0, body: text });
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text }));
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? JSON.stringify({ holder: "h", tickets: [] }) : undefined);
  });
}

const ROUTES: readonly (readonly [string, string])[] = [
  ["GET", "/metrics"],
  ["GET", "/"],
  ["GET", "/nothing/here"],
  ["GET", "/api/apps/v1/app"],
  ["POST", "/api/apps/v1/events/emit"],
  ["POST", "/api/wakes/v1/stream"],
  ["POST", "/api/wakes/v1/next"],
  ["POST", "/api/wakes/v1/ack"],
  ["GET", "/api/admin/v1/apps"],
  ["GET", "/api/console/v1/apps"],
  ["OPTIONS", "/api/apps/v1/events/emit"],
];

describe("PC-48 a core answers under its own names only", () => {
  test.each(ROUTES)("%s %s is refused before any handler under a foreign Host or Origin", async (method, path) => {
    const world = await startWorld({}, []);
    const { port } = world.core;
    const own = `127.0.0.1:${port}`;
    const foreign: Record<string, string>[] = [
      { Host: `evil.example:${port}` },
      { Host: "evil.example" },
      { Host: "127.0.0.1" },
      { Host: `127.0.0.1:${port + 1}` },
      { Host: `localhost.evil.example:${port}` },
      { Host: `127.0.0.1.nip.io:${port}` },
      { Host: "" },
      { Host: own, Origin: "https://evil.example" },
      { Host: own, Origin: "null" },
      { Host: own, Origin: `http://evil.example:${port}` },
      { Host: own, Origin: `https://127.0.0.1:${port}` },
      { Host: own, Origin: "http://127.0.0.1" },
      { Host: `evil.example:${port}`, "X-Forwarded-Host": own },
    ];
    for (const headers of foreign) {
      const { status, body } = await raw(port, method, path, headers);
      expect([JSON.stringify(headers), status, body?.error?.code]).toEqual([JSON.stringify(headers), 403, "unauthorized"]);
    }
    expect(world.log.filter((line) => line.includes('"status":5'))).toEqual([]);
  });

  const PROBED = ["/healthz", "/readyz"];

  test("PC-56 the two health paths answer a probe by any address, and no page of another origin", async () => {
    const world = await startWorld({ publicUrl: "https://wake.example" }, []);
    const { port } = world.core;
    const hosts = ["10.1.2.3:8080", "[fd00::1]:8080", "wakeshift.default.svc", "not a host", ""];
    for (const path of PROBED) {
      for (const host of hosts) expect([host, (await raw(port, "GET", path, { Host: host })).status]).toEqual([host, 200]);
      for (const origin of ["https://evil.example", "null"])
        expect((await raw(port, "GET", path, { Host: "10.1.2.3:8080", Origin: origin })).status).toBe(403);
    }
    for (const [method, path] of [...ROUTES.slice(2, 4), ["GET", "/healthz/"], ["POST", "/healthz"]] as const)
      expect([path, (await raw(port, method, path, { Host: "10.1.2.3:8080" })).status]).toEqual([path, 403]);
  });

  test("PC-56 the two health paths answer a probe that names no host at all", async () => {
    const { port } = (await startWorld({}, [])).core;
    for (const path of PROBED) {
      const socket = connect(port, "127.0.0.1").setEncoding("utf8");
      socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      let answer = "";
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test("loopback names without Origin work, and so do own origins", async () => {
    const world = await startWorld({}, []);
    const { port } = world.core;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect((await raw(port, "GET", "/healthz", { Host: host })).status).toBe(200);
    expect((await raw(port, "GET", "/healthz", { Host: `localhost:${port}`, Origin: `http://127.0.0.1:${port}` })).status).toBe(200);
    expect((await raw(port, "POST", "/api/wakes/v1/stream", { Host: `localhost:${port}` })).status).toBe(200);
  });

  test("the host of the public URL works, with and without its default port, and its origin", async () => {
    const world = await startWorld({ publicUrl: "https://wake.example" }, []);
    const { port } = world.core;
    for (const host of ["wake.example", "wake.example:443", "Wake.Example"])
      expect((await raw(port, "GET", "/healthz", { Host: host })).status).toBe(200);
    expect((await raw(port, "GET", "/healthz", { Host: "wake.example", Origin: "https://wake.example" })).status).toBe(200);
    expect((await raw(port, "GET", "/healthz", { Host: "wake.example", Origin: "http://wake.example" })).status).toBe(403);
    expect((await raw(port, "GET", "/api/apps/v1/app", { Host: `wake.example:${port}` })).status).toBe(403);
  });

  test("a target that is a whole URL is refused", async () => {
    const world = await startWorld({}, []);
    expect((await raw(world.core.port, "GET", "http://evil.example/healthz", { Host: `127.0.0.1:${world.core.port}` })).status).toBe(400);
  });
});
