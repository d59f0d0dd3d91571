import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { askReadiness, checkLocalCores } from "./check-local-cores.ts";

async function serving(body: string, status = 200): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

test("a core that answers is said to, and of the others nothing", async () => {
  const core = await serving('{"status":"ready"}');
  expect(await checkLocalCores(["http://127.0.0.1:9", core], askReadiness, [])).toEqual([
    { program: "core", check: core, ok: true, detail: "started on this machine, and ready", fix: "" },
  ]);
});

test("one that refuses emits fails, with its own reason", async () => {
  const core = await serving('{"error":{"code":"storage_gone","message":"The data folder was deleted. Move it back."}}', 503);
  expect(await checkLocalCores([core], askReadiness, [])).toMatchObject([
    {
      check: core,
      ok: false,
      detail: expect.stringMatching(/refuses emits: The data folder was deleted\. Move it back\./),
      fix: expect.stringMatching(/\S/),
    },
  ]);
});

test.each([
  ["no core was ever started on this machine", []],
  ["http://127.0.0.1:9 was started on this machine, but doesn't answer now", ["http://127.0.0.1:9"]],
  ["2 were started on this machine, none answers now (the newest: http://127.0.0.1:9)", ["http://127.0.0.1:7", "http://127.0.0.1:9"]],
])("without one that answers it is no fault: %s", async (detail, origins) => {
  expect(await checkLocalCores(origins, askReadiness, [])).toEqual([
    { program: "core", check: "local", ok: true, detail, fix: "npx wakeshift dev" },
  ]);
});

test("one that the bridge's part names as away is not named again, nor is another in its place; one that answers is", async () => {
  const [away, other] = ["http://127.0.0.1:9", "http://127.0.0.1:7"];
  expect(await checkLocalCores([away], askReadiness, [away])).toEqual([]);
  expect(await checkLocalCores([away, other], askReadiness, [away])).toEqual([]);
  const core = await serving('{"status":"ready"}');
  expect(await checkLocalCores([core], askReadiness, [core])).toMatchObject([{ check: core, detail: expect.stringContaining("ready") }]);
});

test("something else on the port is no core", async () => {
  expect(await askReadiness(await serving("<html>"))).toBeUndefined();
  expect(await askReadiness(await serving("null"))).toBeUndefined();
});
