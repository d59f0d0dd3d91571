import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";

describe("readConfig", () => {
  test("has a default for everything but the database, and passes what is set", () => {
    expect(readConfig({ WAKESHIFT_HOME: "/w" })).toEqual({
      host: "127.0.0.1",
      port: 4_870,
      logLevel: "info",
      emitRate: { perSecond: 1_000, burst: 5_000 },
    });
    const env = {
      WAKESHIFT_DATABASE_URL: "/data/x.db",
      WAKESHIFT_PUBLIC_URL: "https://wake.example",
      WAKESHIFT_ADMIN_TOKEN: "t".repeat(16),
      WAKESHIFT_EMITS_PER_SECOND: "0",
      WAKESHIFT_OCCURRENCES_PER_APP: "5000",
      WAKESHIFT_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,",
      WAKESHIFT_PORT: "0",
      WAKESHIFT_LOG_LEVEL: "warn",
    };
    expect(readConfig(env)).toEqual({
      host: "127.0.0.1",
      port: 0,
      databasePath: "/data/x.db",
      logLevel: "warn",
      publicUrl: "https://wake.example",
      adminToken: "t".repeat(16),
      occurrencesPerApp: 5_000,
      trustedProxies: ["127.0.0.1", "10.0.0.0/8"],
    });
    expect(readConfig({ WAKESHIFT_OCCURRENCES_PER_APP: "0" })).toEqual(readConfig({}));
  });

  test("takes an empty variable for one that isn't set", () => {
    const empty = Object.fromEntries(
      ["DATABASE_URL", "PUBLIC_URL", "ADMIN_TOKEN", "EMITS_PER_SECOND", "PORT", "LOG_LEVEL"].map((name) => [`WAKESHIFT_${name}`, ""]),
    );
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test.each([
    { WAKESHIFT_PORT: "70000" },
    { WAKESHIFT_PORT: "x" },
    { WAKESHIFT_LOG_LEVEL: "loud" },
    { WAKESHIFT_EMITS_PER_SECOND: "-1" },
    { WAKESHIFT_OCCURRENCES_PER_APP: "1.5" },
  ])("refuses %o by name", (env) => {
    expect(() => readConfig(env)).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(() => readConfig(env)).toThrow(Object.keys(env)[0]);
  });
});
