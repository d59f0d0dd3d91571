import { isRecord, SCHEMA_DATA_KEYWORDS } from "@wakeshift/protocol";

/**
 * Keywords whose cost can be counted without applying them. `pattern`, `format`, `$ref`, `uniqueItems` and whatever else isn't
 * here may cost far more than it looks.
 */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  ..."$schema $comment title description default examples deprecated readOnly writeOnly".split(" "),
  ..."type enum const required minimum maximum exclusiveMinimum exclusiveMaximum".split(" "),
  ..."minLength maxLength minItems maxItems minProperties maxProperties".split(" "),
  ..."properties additionalProperties items prefixItems anyOf allOf".split(" "),
]);

/** Characters of a schema's constants, and of a text, that cost as much as one step. */
const CHARACTERS_PER_STEP = 64;

type Fields = Readonly<Record<string, unknown>>;

/** Tells whether {@link plainSteps} can count what checking a value against this schema costs. */
export function isPlainSchema(schema: unknown): boolean {
  if (typeof schema === "boolean") return true;
  if (!isFields(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN_KEYWORDS.has(keyword)) return false;
    if (keyword === "enum") return Array.isArray(value) && value.every(isScalar);
    if (keyword === "const") return isScalar(value);
    if (SCHEMA_DATA_KEYWORDS.has(keyword)) return true;
    if (keyword === "properties") return isFields(value) && Object.values(value).every(isPlainSchema);
    if (Array.isArray(value)) return value.every(isPlainSchema);
    return !isFields(value) || isPlainSchema(value);
  });
}

/**
 * Counts the steps that checking a value against a plain schema takes at most, each about a microsecond, up to the first count
 * above `most`. Counting costs less than the checking itself.
 */
export function plainSteps(schema: unknown, value: unknown, most: number): number {
  return new PlainSteps(most).add(schema, value).steps;
}

class PlainSteps {
  steps = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(schema: unknown, value: unknown): this {
    this.steps += 1;
    if (this.steps > this.#most || !isFields(schema)) return this;
    this.#addConstants(schema);
    for (const keyword of ["anyOf", "allOf"]) this.#addEach(schema[keyword], () => value);
    if (typeof value === "string") this.steps += Math.floor(value.length / CHARACTERS_PER_STEP);
    else if (Array.isArray(value)) this.#addItems(schema, value);
    else if (isFields(value)) this.#addProperties(schema, value);
    return this;
  }

  #addConstants(schema: Fields): void {
    const { enum: several, const: one, required } = schema;
    if (typeof one === "string") this.steps += Math.floor(one.length / CHARACTERS_PER_STEP);
    if (Array.isArray(required)) this.steps += required.length;
    if (!Array.isArray(several)) return;
    for (const constant of several)
      this.steps += 1 + (typeof constant === "string" ? Math.floor(constant.length / CHARACTERS_PER_STEP) : 0);
  }

  #addItems({ items, prefixItems }: Fields, value: readonly unknown[]): void {
    this.#addEach(prefixItems, (index) => value[index]);
    // A list here is an older draft's `prefixItems`.
    if (Array.isArray(items)) this.#addEach(items, (index) => value[index]);
    else if (items !== undefined) this.#addValues(items, value);
  }

  #addProperties({ properties, additionalProperties }: Fields, value: Fields): void {
    if (isFields(properties)) {
      for (const [name, schema] of Object.entries(properties)) {
        if (Object.hasOwn(value, name)) this.add(schema, value[name]);
        else this.steps += 1;
        if (this.steps > this.#most) return;
      }
    }
    if (additionalProperties !== undefined) this.#addValues(additionalProperties, Object.values(value));
  }

  #addEach(schemas: unknown, valueAt: (index: number) => unknown): void {
    if (!Array.isArray(schemas)) return;
    for (const [index, schema] of schemas.entries()) {
      if (this.steps > this.#most) return;
      this.add(schema, valueAt(index));
    }
  }

  #addValues(schema: unknown, values: readonly unknown[]): void {
    for (const value of values) {
      if (this.steps > this.#most) return;
      this.add(schema, value);
    }
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isFields(value: unknown): value is Fields {
  return isRecord(value);
}
