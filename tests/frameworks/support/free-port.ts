import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** A port that nobody listened on a moment ago, for programs that can't say which one they got. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
