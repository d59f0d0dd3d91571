import { expect, test } from "vitest";
import { emit, startWorld, subscribe } from "../system/core-support/core-world.ts";
import { WakeStream } from "../system/core-support/wake-stream.ts";
import { startNginx } from "./nginx.ts";

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
