import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bridgeHome } from "./home.ts";
import { resolveHomeFolder } from "@wakeshift/programs/machine";

describe("where the bridge keeps its files", () => {
  test("is WAKESHIFT_HOME, else the platform's usual folder", () => {
    expect(resolveHomeFolder({ WAKESHIFT_HOME: "/w" })).toBe("/w");
    expect(resolveHomeFolder({ WAKESHIFT_HOME: "" }, "linux")).toBe(join(homedir(), ".local/state/wakeshift"));
    expect(resolveHomeFolder({ XDG_STATE_HOME: "/s" }, "linux")).toBe("/s/wakeshift");
    expect(resolveHomeFolder({}, "darwin")).toBe(join(homedir(), "Library/Application Support/Wakeshift"));
    expect(resolveHomeFolder({ LOCALAPPDATA: "/l" }, "win32")).toBe(join("/l", "Wakeshift"));
  });

  test("its socket's path is short enough for every system, and another for each home", () => {
    const [one, other] = [bridgeHome(`/${"x".repeat(200)}`, "linux"), bridgeHome(`/${"y".repeat(200)}`, "linux")];
    expect(Buffer.byteLength(one.socket)).toBeLessThanOrEqual(103);
    expect(one.socket).not.toBe(other.socket);
    expect(one.socketFolder).toMatch(/^\/tmp\/wakeshift-\d+-[0-9a-f]{16}$/);
    expect(bridgeHome("/w", "linux")).toMatchObject({ socket: "/w/bridge.sock", socketFolder: undefined });
    expect(bridgeHome("/w", "win32").socket).toMatch(/^\\\\\.\\pipe\\wakeshift-/);
  });
});
