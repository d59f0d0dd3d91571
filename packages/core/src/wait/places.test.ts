import { expect, test } from "vitest";
import { Places } from "./places.ts";

const LIMITS = { inAll: 5, perAddress: 3, perHolder: 2 };
const full = (status: number): Error => expect.objectContaining({ code: "rate_limited", status }) as Error;

test("one holder and one address are held to their share before all places are taken, and get it back", () => {
  const places = new Places(LIMITS, () => 0.5);
  const leave = places.take({ address: "a", holderHash: "1" });
  places.take({ address: "b", holderHash: "1" });
  expect(() => places.take({ address: "c", holderHash: "1" })).toThrow(full(429));
  places.take({ address: "a", holderHash: "2" });
  places.take({ address: "a", holderHash: "3" });
  expect(() => places.take({ address: "a", holderHash: "4" })).toThrow(full(429));
  places.take({ address: undefined, holderHash: "4" });
  expect(() => places.take({ address: undefined, holderHash: "5" })).toThrow(full(503));
  leave();
  leave();
  places.take({ address: "a", holderHash: "1" });
  expect(() => places.take({ address: undefined, holderHash: "5" })).toThrow(full(503));
});
