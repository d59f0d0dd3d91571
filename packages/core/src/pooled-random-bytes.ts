import { randomFillSync } from "node:crypto";

const POOL_BYTES = 8_192;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes for secrets and ids, drawn from the system in large portions: each asks the system far less often than it is asked. */
export function pooledRandomBytes(length: number): Uint8Array {
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Uint8Array.prototype.slice.call(pool, used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}
