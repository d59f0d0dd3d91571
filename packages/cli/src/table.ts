import { cleanLine } from "@wakeshift/protocol";

/** Lays rows out in columns, two spaces apart, for a terminal. Cells may be anybody's words: each stays on its line. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(cleanLine));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
