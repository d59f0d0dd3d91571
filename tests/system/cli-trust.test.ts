import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { startBridgeWorld } from "./bridge-support/bridge-world.ts";
import { cliWorld } from "./cli-support/cli-world.ts";

const ORIGIN = "https://wake.example.com";

function entryOf(app: { readonly id: string; readonly name: string }): Record<string, unknown> {
  return {
    v: 1,
    core: ORIGIN,
    ticket: formatSecret("ticket", randomBytes(32)),
    id: `sub_${randomBytes(16).toString("hex")}`,
    event: "crawl.finished",
    arguments: {},
    once: false,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    tool: "start_crawl",
    app,
  };
}

test("allow and deny say what holds from now on, take an app's name, and status shows what is muted with the command that unmutes it", async () => {
  const cli = cliWorld();
  const bridge = await startBridgeWorld({ folder: join(cli.home, "wakeshift") });
  const meta = { "ai.wakeshift/subscription": [entryOf({ id: "app_1", name: "dev" }), entryOf({ id: "app_2", name: "Crawler" })] };
  await bridge.report([], { results: [{ tool: "start_crawl", meta }] });
  const said = async (...args: string[]): Promise<string> => (await cli.run(args)).stdout;

  expect(await said("deny", ORIGIN, "--app", "dev")).toBe(
    `Denied dev (app_1) of ${ORIGIN}: 1 subscription. Nothing of this app is fetched or shown any more. Its other apps wait for your answer, unless you gave one.
What is subscribed is kept, muted, and its core keeps what it emits for a while. Unmute: npx wakeshift allow --app app_1 ${ORIGIN}. End one: npx wakeshift end ID
`,
  );
  expect(await said("status")).toContain(
    `Muted, since you denied it: dev (app_1) of ${ORIGIN}, 1 subscribed.\n  npx wakeshift allow --app app_1 ${ORIGIN}`,
  );
  expect(await said("allow", ORIGIN, "--app", "Crawler")).toBe(
    `Allowed Crawler (app_2) of ${ORIGIN}: 1 subscription. Its other apps wait for your answer, unless you gave one.\n`,
  );
  expect(await said("deny", ORIGIN)).toContain(`Denied ${ORIGIN}: 2 subscriptions. Nothing contacts it any more.`);
  expect(await said("status")).toContain(`Muted, since you denied it: ${ORIGIN}, 2 subscribed.\n  npx wakeshift allow ${ORIGIN}`);
  const doctor = JSON.parse((await cli.run(["doctor", "--json"])).stdout) as { readonly checks: readonly Record<string, unknown>[] };
  expect(doctor.checks).toContainEqual(expect.objectContaining({ ok: false, fix: `npx wakeshift allow ${ORIGIN}` }));
  const unknown = await cli.run(["deny", ORIGIN, "--app", "nobody"]);
  expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  expect(unknown.stderr).toContain("Known: dev (app_1), Crawler (app_2).");
});
