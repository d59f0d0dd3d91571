import { expect, test } from "vitest";
import { BelievedTime } from "./believed-time.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

function clock(): { wall: number; monotonic: number; pass: (ms: number) => void; believed: () => number } {
  const time = new BelievedTime();
  const one = {
    wall: 20_000 * DAY,
    monotonic: 5,
    pass: (ms: number): void => {
      one.wall += ms;
      one.monotonic += ms;
    },
    believed: () => time.at(one.wall, one.monotonic),
  };
  return one;
}

test("goes with the wall clock, also over long pauses between two looks", () => {
  const one = clock();
  for (const ms of [0, 1, 5_000, 30 * DAY]) {
    one.pass(ms);
    expect(one.believed()).toBe(one.wall);
  }
});

test.each([1, 30])("doesn't believe a wall clock that is %i days ahead for a while", (days) => {
  const one = clock();
  one.believed();
  one.wall += days * DAY;
  for (let looks = 0; looks < 3; looks += 1) {
    one.pass(10 * 60_000);
    expect(one.believed()).toBe(one.wall - days * DAY);
  }
  one.wall -= days * DAY;
  one.pass(HOUR);
  expect(one.believed()).toBe(one.wall);
  // Each jump has its own hour.
  one.wall += days * DAY;
  one.pass(HOUR);
  expect(one.believed()).toBe(one.wall - days * DAY);
});

test("believes a wall clock that has stayed ahead for an hour: the machine slept", () => {
  const one = clock();
  one.believed();
  one.wall += 3 * DAY;
  one.believed();
  one.pass(HOUR);
  expect(one.believed()).toBe(one.wall);
});

test("believes a step back at once, and the time after it", () => {
  const one = clock();
  one.believed();
  one.wall -= 2 * DAY;
  expect(one.believed()).toBe(one.wall);
  one.pass(DAY);
  expect(one.believed()).toBe(one.wall);
});

test("is whole milliseconds while the wall clock is doubted, and loses no fraction of the time that passes", () => {
  const one = clock();
  const begun = one.believed();
  one.wall += DAY;
  for (let looks = 1; looks <= 8; looks += 1) {
    one.monotonic += 0.75;
    expect(one.believed()).toBe(begun + Math.floor(looks * 0.75));
  }
});
