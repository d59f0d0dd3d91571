import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RequestListener, Server } from "node:http";
import { join } from "node:path";
import { formatAppKey } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { cliWorld } from "./cli-support/cli-world.ts";

const badGateway: RequestListener = (_request, response) =>
  void response.writeHead(502, { "content-type": "text/html" }).end("<html><h1>502 Bad Gateway</h1></html>");

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A certificate that no authority of this machine signed; `undefined` if there is no openssl. */
function privateCertificate(folder: string): { readonly key: string; readonly cert: string } | undefined {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=wake -addext subjectAltName=IP:127.0.0.1`;
  try {
    execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return { key, cert };
}

const COMMANDS: readonly (readonly [what: string, args: readonly string[], restart: string])[] = [
  ["the SDK", ["emit", "crawl.finished", "--args", "{}", "--payload", "{}"], "this process"],
  ["the admin command", ["app", "list"], "this command"],
];

describe.each(COMMANDS)("%s, asking a core behind a proxy", (_what, args, restart) => {
  const env = { WAKESHIFT_KEY: formatAppKey(randomBytes(32)), WAKESHIFT_ADMIN_TOKEN: "t".repeat(32) };

  test("that can't reach the core says that the proxy responded, and to look at the core", async () => {
    const url = `http://127.0.0.1:${String(await listen(createServer(badGateway)))}`;
    const { code, stderr } = await cliWorld().run([...args, "--core", url], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`A proxy in front of the core at ${url} responded with status 502: it can't reach the core`);
    expect(stderr).toContain("(bad_response)");
  });

  test("whose certificate a private authority signed names the reason and NODE_EXTRA_CA_CERTS, which helps", async ({ skip }) => {
    const world = cliWorld();
    const made = privateCertificate(world.home);
    if (made === undefined) return skip("there is no openssl");
    const server = createTlsServer({ key: readFileSync(made.key), cert: readFileSync(made.cert) }, badGateway);
    const url = `https://127.0.0.1:${String(await listen(server))}`;
    const { stderr } = await world.run([...args, "--core", url], env);
    expect(stderr).toContain(`The core at ${url} can't be reached (DEPTH_ZERO_SELF_SIGNED_CERT).`);
    expect(stderr).toMatch(new RegExp(`NODE_EXTRA_CA_CERTS .*restart ${restart}`));
    const trusting = await world.run([...args, "--core", url], { ...env, NODE_EXTRA_CA_CERTS: made.cert });
    expect(trusting.stderr).toContain("responded with status 502");
  });

  test("whose address has no scheme says which URL was meant", async () => {
    const { stderr } = await cliWorld().run([...args, "--core", "localhost:4870"], env);
    expect(stderr).toContain(`"localhost:4870" has no scheme. Use http://localhost:4870.`);
  });
});
