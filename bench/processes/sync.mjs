// How many 4 KiB appends a second the disk under the given folder makes durable, one after the other. One run per message.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const file = join(process.argv[2] ?? "", "sync-rate");
const page = Buffer.alloc(4096, 1);

process.on("message", ({ ms }) => {
  const descriptor = openSync(file, "w");
  let syncs = 0;
  const started = performance.now();
  while (performance.now() - started < ms) {
    writeSync(descriptor, page);
    fdatasyncSync(descriptor);
    syncs += 1;
  }
  const perSecond = syncs / ((performance.now() - started) / 1000);
  closeSync(descriptor);
  rmSync(file);
  process.send?.({ perSecond });
});
