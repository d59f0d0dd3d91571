import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { BoundedLog } from "./bounded-log.ts";
import { temporaryFolder } from "./files.test.support.ts";

describe("a bounded log", () => {
  test("keeps the newest lines in two files of at most their size", () => {
    const path = join(temporaryFolder(), "log");
    const log = new BoundedLog(path, 1_000);
    for (let count = 0; count < 200; count += 1) log.write(`line ${count} ${"x".repeat(50)}`);
    expect(statSync(path).size).toBeLessThanOrEqual(1_000);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1_000);
    expect(readFileSync(path, "utf8")).toContain("line 199");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("takes secrets out of every line", () => {
    const path = join(temporaryFolder(), "log");
    const ticket = formatSecret("ticket", randomBytes(32));
    new BoundedLog(path, 1_000).write(`a ${ticket} b`);
    expect(readFileSync(path, "utf8")).toBe("a wkt_… b\n");
  });

  test("that can't be written stops nothing", () => {
    expect(() => new BoundedLog("/nonexistent/folder/log", 1_000).write("x")).not.toThrow();
  });
});
