/** An error's type, for the log: its message might hold a secret. Never throws, whatever was thrown. */
export function errorNameOf(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.name : undefined;
    return typeof name === "string" && name !== "" ? name : typeof error;
  } catch {
    return typeof error;
  }
}
