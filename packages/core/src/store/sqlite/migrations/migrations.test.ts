import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MIGRATIONS } from "./migrations.ts";
import { renderMigrations } from "./render-migrations.ts";

const folder = new URL("./", import.meta.url);

function sqlFiles(): { name: string; sql: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), "utf8") }));
}

test("the carried migrations are the .sql files, byte for byte (UPDATE_GENERATED=1 renders them anew)", () => {
  const rendered = renderMigrations(sqlFiles());
  const target = new URL("migrations.ts", folder);
  if (process.env["UPDATE_GENERATED"] === "1") writeFileSync(target, rendered);
  expect(readFileSync(target, "utf8")).toBe(rendered);
});

test("migrations are numbered from 1 without a hole", () => {
  expect(MIGRATIONS.map((migration) => migration.version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});
