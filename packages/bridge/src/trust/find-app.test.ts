import { expect, test } from "vitest";
import { findApp } from "./find-app.ts";

const CORE = "https://wake.example";
const crawler = { id: "app_1", name: "Crawler" };
const dev = { id: "app_2", name: "dev" };

test("an app is found by its id or by its name, and an id goes first", () => {
  expect(findApp([crawler, dev, crawler], "dev", CORE)).toBe(dev);
  expect(findApp([crawler, dev], "app_1", CORE)).toBe(crawler);
  expect(findApp([{ id: "app_3", name: "app_1" }, crawler], "app_1", CORE)).toBe(crawler);
});

test("an unknown app, and a name that two apps have, are refused with those that are known", () => {
  const refused = (text: string, known = [crawler, dev]): string => {
    try {
      return findApp(known, text, CORE).id;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused("Dev")).toContain("Known: Crawler (app_1), dev (app_2).");
  expect(refused("dev", [])).toContain("No conversation of this machine has subscribed there.");
  expect(refused("dev", [dev, { id: "app_3", name: "dev" }])).toContain("dev (app_2), dev (app_3). Give the id.");
});
