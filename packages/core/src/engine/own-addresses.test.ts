import { describe, expect, test } from "vitest";
import { ownAddresses } from "./own-addresses.ts";

describe("ownAddresses", () => {
  test("takes every spelling of loopback, with the listening port only", () => {
    const own = ownAddresses(4870, "127.0.0.1", undefined);
    expect([...own.hosts].sort()).toEqual(["127.0.0.1:4870", "[::1]:4870", "localhost:4870"]);
    expect(own.audiences.has("http://localhost:4870/api/apps")).toBe(true);
    expect(own.audiences.has("http://[::1]:4870/api/apps")).toBe(true);
  });

  test("takes the public URL's host, with and without its default port, and its path in the audience", () => {
    const own = ownAddresses(4870, "0.0.0.0", new URL("https://wake.example/core/"));
    expect(own.hosts.has("wake.example")).toBe(true);
    expect(own.hosts.has("wake.example:443")).toBe(true);
    expect(own.origins.has("https://wake.example")).toBe(true);
    expect(own.audiences.has("https://wake.example/core/api/apps")).toBe(true);
    expect(own.hosts.has("0.0.0.0:4870")).toBe(false);
  });

  test("names loopback without a port where it listens on port 80", () => {
    expect(ownAddresses(80, "127.0.0.1", undefined).hosts.has("localhost")).toBe(true);
  });

  test("takes another loopback address it listens on", () => {
    expect(ownAddresses(4870, "127.0.0.9", undefined).hosts.has("127.0.0.9:4870")).toBe(true);
  });
});
