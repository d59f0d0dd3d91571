/** One numbered migration: `001_initial.sql` is version 1. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * The text of `migrations.ts` for these files. The SQL is carried in a module so that the built package needs no file
 * beside its code.
 */
export function renderMigrations(files: readonly { readonly name: string; readonly sql: string }[]): string {
  const entries = [...files]
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, sql }) =>
      [
        "  {",
        `    version: ${Number(name.slice(0, 3))},`,
        `    name: ${JSON.stringify(name)},`,
        `    sql: ${JSON.stringify(sql)},`,
        "  },\n",
      ].join("\n"),
    );
  return [
    "// Generated from the .sql files of this folder; migrations.test.ts renders it again and compares.\n",
    'import type { Migration } from "./render-migrations.ts";\n\n',
    "export const MIGRATIONS: readonly Migration[] = [\n",
    ...entries,
    "];\n",
  ].join("");
}
