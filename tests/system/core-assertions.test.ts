import { createHash, createHmac, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { startCore } from "@wakeshift/core";
import { boundRequestText, formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import { decodeJwt } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { AppClient } from "./core-support/core-client.ts";
import type { AssertionChanges } from "./core-support/core-client.ts";
import { ADMIN_TOKEN, CRAWL, startWorld } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";

const seconds = (): number => Math.floor(Date.now() / 1_000);

describe("the core refuses an assertion", () => {
  test.each<[string, () => AssertionChanges]>([
    ["that has expired", () => ({ claims: { iat: seconds() - 300, exp: seconds() - 180 } })],
    ["from the future", () => ({ claims: { iat: seconds() + 60, exp: seconds() + 180 } })],
    ["that lives longer than two minutes", () => ({ claims: { exp: seconds() + 3_600 } })],
    ["without exp", () => ({ claims: { exp: undefined } })],
    ["without iat", () => ({ claims: { iat: undefined } })],
    ["for another core", () => ({ claims: { aud: "https://elsewhere.example/api/apps" } })],
    ["for another path of this core", () => ({ claims: { aud: "http://127.0.0.1/api/wakes" } })],
    ["without audience", () => ({ claims: { aud: undefined } })],
    ["whose issuer is another", () => ({ claims: { iss: "app_other", sub: "app_other" } })],
    ["whose issuer and subject differ", () => ({ claims: { sub: "app_other" } })],
    ["without jti", () => ({ claims: { jti: undefined } })],
    ["whose jti is empty", () => ({ claims: { jti: "" } })],
    ["whose jti is no text", () => ({ claims: { jti: 7 } })],
    ["of another type", () => ({ header: { typ: "JWT" } })],
    ["without a key id", () => ({ header: { kid: undefined } })],
    ["with a key id of a key that isn't there", () => ({ header: { kid: "A".repeat(22) } })],
    ["signed by another key", () => ({ key: generateKeyPairSync("ed25519").privateKey })],
  ])("%s", async (_, changes) => {
    const world = await startWorld({}, []);
    const { status, body } = await world.app.call("GET", "/app", undefined, `Bearer ${await world.app.assertion(changes())}`);
    expect(status).toBe(401);
    expect(body.error.code).toBe("unauthorized");
  });

  test("that was used before, also for another call and by another spelling of the core", async () => {
    const world = await startWorld();
    const token = await world.app.assertion();
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status).toBe(200);
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).body.error.code).toBe("unauthorized");
    const emit = await world.app.call("POST", "/events/emit", { name: "free.form", payload: {} }, `Bearer ${token}`);
    expect(emit).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
  });

  test("that was used before the core was restarted", async () => {
    const world = await startWorld();
    const token = await world.app.assertion();
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status).toBe(200);
    await world.core.close();
    const core = await startCore({ dataDir: world.dataDir, port: world.core.port, logLevel: "silent" });
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status).toBe(401);
    expect((await world.app.call("GET", "/app")).status).toBe(200);
    await core.close();
  });

  test("used twice at the same moment: exactly one counts", async () => {
    const world = await startWorld();
    const token = await world.app.assertion();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(19);
  });

  test("signed by another key, alone or among good ones", async () => {
    const world = await startWorld();
    const key = generateKeyPairSync("ed25519").privateKey;
    const asked = Array.from({ length: 20 }, async (_, n) => {
      const token = await world.app.assertion(n % 2 === 0 ? {} : { key });
      return (await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status;
    });
    expect(await Promise.all(asked)).toEqual(asked.map((_, n) => (n % 2 === 0 ? 200 : 401)));
  });

  test("with `alg: none`, whatever stands for its signature", async () => {
    const world = await startWorld({}, []);
    const [header, claims, signature] = (await world.app.assertion()).split(".");
    const decoded = JSON.parse(Buffer.from(header ?? "", "base64url").toString()) as object;
    for (const alg of ["none", "None", "HS256", "ES256"]) {
      const forged = Buffer.from(JSON.stringify({ ...decoded, alg })).toString("base64url");
      for (const end of ["", signature ?? "", "A".repeat(86)]) {
        const { status, body } = await world.app.call("GET", "/app", undefined, `Bearer ${forged}.${claims}.${end}`);
        expect([status, body.error.code]).toEqual([401, "unauthorized"]);
      }
    }
  });

  test("signed with HMAC under the public key", async () => {
    const world = await startWorld({}, []);
    const [, claims] = (await world.app.assertion()).split(".");
    const publicKey = createPublicKey(world.app.privateKey).export({ format: "der", type: "spki" });
    const header = Buffer.from(JSON.stringify({ alg: "HS256", typ: "app+jwt", kid: world.app.keyId })).toString("base64url");
    const signature = createHmac("sha256", publicKey).update(`${header}.${claims}`).digest("base64url");
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${header}.${claims}.${signature}`)).status).toBe(401);
  });

  test("with one character of its claims changed", async () => {
    const world = await startWorld({}, []);
    const token = await world.app.assertion();
    const middle = Math.floor(token.length / 2);
    const changed = `${token.slice(0, middle)}${token[middle] === "A" ? "B" : "A"}${token.slice(middle + 1)}`;
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${changed}`)).status).toBe(401);
  });

  test.each([
    ["no header", ""],
    ["an empty one", "Bearer "],
    ["another scheme", "Basic YTpi"],
    ["garbage", "Bearer a.b.c"],
    ["the app key itself", "KEY"],
  ])("and %s", async (_, authorization) => {
    const world = await startWorld({}, []);
    const sent = authorization === "KEY" ? `Bearer ${world.app.key}` : authorization;
    const { status, body } = await world.fetchJson("GET", "/api/apps/v1/app", undefined, sent === "" ? {} : { Authorization: sent });
    expect([status, body.error.code]).toEqual([401, "unauthorized"]);
    expect(JSON.stringify(body)).not.toContain(world.app.key.slice(8));
  });
});

describe("the core takes", () => {
  test("each spelling of loopback in the audience, and issuers by key and by app", async () => {
    const world = await startWorld({}, []);
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const token = await world.app.assertion({ claims: { aud: `http://${host}:${world.core.port}/api/apps` } });
      expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status).toBe(200);
    }
    const byApp = await world.app.assertion({ claims: { iss: world.appId, sub: world.appId } });
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${byApp}`)).status).toBe(200);
  });

  test("its public URL in the audience", async () => {
    const world = await startWorld({ publicUrl: "https://wake.example/" }, []);
    const token = await world.app.assertion({ claims: { aud: "https://wake.example/api/apps" } });
    expect((await world.app.call("GET", "/app", undefined, `Bearer ${token}`)).status).toBe(200);
  });
});

describe("keys", () => {
  test("a key of another core is refused, and a key of another app sees only its own app", async () => {
    const world = await startWorld();
    const seed = randomBytes(32);
    const foreign = new AppClient(
      world.url,
      formatAppKey(seed),
      createHash("sha256").update(seed).digest().subarray(0, 16).toString("base64url"),
    );
    expect((await foreign.call("GET", "/app")).status).toBe(401);
    const other = await world.addApp("Another");
    expect((await other.call("GET", "/app")).body.name).toBe("Another");
    expect(
      (await other.post("/events/emit", { name: "crawl.finished", arguments: { job: "a" }, payload: { status: "done" } })).body.error.code,
    ).toBe("unknown_event");
  });

  test("a revoked key is refused within a second, and no other", async () => {
    const world = await startWorld();
    const admin = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const made = await world.fetchJson("POST", "/api/admin/v1/apps/Crawler/keys", { name: "second" }, admin);
    const second = new AppClient(world.url, made.body.key, made.body.key_id);
    expect((await second.call("GET", "/app")).body.key).toEqual({ key_id: made.body.key_id, name: "second" });
    expect((await world.fetchJson("DELETE", `/api/admin/v1/keys/${world.app.keyId}`, undefined, admin)).body).toEqual({ revoked: true });
    expect((await world.app.call("GET", "/app")).status).toBe(401);
    expect((await second.call("GET", "/app")).status).toBe(200);
  });

  test("the admin API is closed to everyone without the token, alike whether the core has one or not", async () => {
    const withToken = await startWorld({}, []);
    const dataDir = join(withToken.dataDir, "another");
    const without = await startCore({ port: 0, dataDir, logLevel: "silent" });
    onTestFinished(() => without.close());
    const refused = await fetch(`${without.url}/api/admin/v1/apps`, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } });
    const answers = await Promise.all(
      [{}, { Authorization: "Bearer " }, { Authorization: "Bearer wrong" }, { Authorization: ADMIN_TOKEN }].map((headers) =>
        withToken.fetchJson("GET", "/api/admin/v1/apps", undefined, headers as Record<string, string>),
      ),
    );
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([401, "unauthorized"]);
    expect(new Set([...answers.map(({ body }) => JSON.stringify(body)), await refused.text()]).size).toBe(1);
  });

  test("a list of apps shows no secret", async () => {
    const world = await startWorld();
    const { body } = await world.fetchJson("GET", "/api/admin/v1/apps", undefined, { Authorization: `Bearer ${ADMIN_TOKEN}` });
    expect(body.apps).toMatchObject([{ id: world.appId, name: "Crawler", keys: [{ key_id: world.app.keyId, revoked_at: null }] }]);
    expect(JSON.stringify(body)).not.toContain("wst_");
  });
});

describe("an assertion that is bound to its request", () => {
  const EMIT = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } };
  const boundTo = async (world: CoreWorld, method: string, path: string, body: string): Promise<string> => {
    const req = createHash("sha256")
      .update(boundRequestText(method, path, body))
      .digest("base64url");
    return `Bearer ${await world.app.assertion({ claims: { req } })}`;
  };

  test("is good for that request, and for no other method, path or body, as whoever caught it would send", async () => {
    const world = await startWorld();
    const body = JSON.stringify(EMIT);
    const other = JSON.stringify({ ...EMIT, payload: { status: "failed" } });
    for (const [method, path, text] of [
      ["POST", "/events/emit", other],
      ["POST", "/event-subscriptions/end-matching", body],
      ["PUT", "/manifest", body],
      ["GET", "/app", undefined],
    ] as const) {
      const answer = await world.app.call(method, path, text, await boundTo(world, "POST", "/events/emit", body));
      expect([answer.status, answer.body.error?.code]).toEqual([401, "unauthorized"]);
    }
    expect((await world.app.call("POST", "/events/emit", body, await boundTo(world, "POST", "/events/emit", body))).status).toBe(200);
    expect((await world.app.call("GET", "/app", undefined, await boundTo(world, "GET", "/app", ""))).status).toBe(200);
    expect((await world.app.call("POST", "/events/emit", other)).status).toBe(200);
  });

  test("is what the SDK sends with each request", async () => {
    const world = await startWorld();
    const sent: { authorization: string; method: string; path: string; body: string }[] = [];
    const wake = new Wakeshift({
      key: world.app.key,
      core: world.url,
      logger: () => undefined,
      fetch: (url, init) => {
        const { headers, method = "GET", body } = init ?? {};
        const path = new URL(String(url)).pathname.replace("/api/apps/v1", "");
        sent.push({
          authorization: new Headers(headers).get("authorization") ?? "",
          method,
          path,
          body: typeof body === "string" ? body : "",
        });
        return fetch(url, init);
      },
    });
    const event = wake.defineEvent("a.one", { description: "One", args: { type: "object" }, payload: { type: "object" }, public: true });
    await event.emit({}, { text: "é" });
    expect(sent.map(({ path }) => path)).toEqual(["/manifest", "/events/emit"]);
    for (const { authorization, method, path, body } of sent) {
      const { req } = decodeJwt(authorization.replace("Bearer ", ""));
      expect(req).toBe(
        createHash("sha256")
          .update(boundRequestText(method, path, body))
          .digest("base64url"),
      );
      const replayed = await world.app.call(method, path, `${body} `, authorization);
      expect(replayed.status).toBe(401);
    }
  });
});
