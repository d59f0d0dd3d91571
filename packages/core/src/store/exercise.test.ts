import { describe, test } from "vitest";
import { exerciseStore } from "./exercise.ts";
import { openTemporaryStore } from "./sqlite/temporary-store.ts";

describe("SQLite", () => {
  exerciseStore((title, body) => test(title, body), openTemporaryStore);
});
