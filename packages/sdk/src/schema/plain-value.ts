/**
 * A value as JSON would carry it: fields that are `undefined` left out, as `JSON.stringify` leaves them out. All else,
 * also what JSON can't hold, stays for the check that comes after.
 */
export function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, plainValue(inner)]),
  );
}
