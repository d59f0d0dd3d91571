/** What a Standard Schema says of itself, as far as Wakeshift reads it. */
interface StandardProperties {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => unknown;
  readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
}

/** A schema of any library that follows Standard Schema: zod, arktype, valibot and others. */
export interface StandardSchema {
  readonly "~standard": StandardProperties;
}

/** A JSON Schema as plain data. TypeScript can't tell the values' types from it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What describes an event's arguments and payload. */
export type Schema = StandardSchema | JsonSchema;

/** The values one may pass where this schema is asked for. */
export type InputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>;

/** What a value is once this schema has taken it: defaults filled in, for instance. */
export type OutputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>;

/** Tells a Standard Schema from plain data. Some libraries' schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && typeof (standard as Partial<StandardProperties>).validate === "function";
}
