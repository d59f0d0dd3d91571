/** One fault as the JSON Schema library tells it. */
export interface SchemaFault {
  readonly keyword: string;
  /** `#` for the whole value, `#/a/0` for a place in it. */
  readonly instanceLocation: string;
  readonly error: string;
}

const MAX_PLACE_CHARACTERS = 80;
const MAX_WORDS_CHARACTERS = 200;

/** Keywords whose fault the library describes from the schema alone, or from lengths. The others' may quote the value. */
const TELLING_KEYWORDS: ReadonlySet<string> = new Set(["pattern", "format", "minLength", "maxLength", "minItems", "maxItems"]);

/** Says in plain words what is wrong and where: `"job" is missing`, `/job: it is a number, not a string`. Never quotes the value. */
export function describeSchemaFault({ keyword, instanceLocation, error }: SchemaFault): string {
  const place = instanceLocation === "#" ? "" : `${instanceLocation.slice(1, MAX_PLACE_CHARACTERS)}: `;
  return place + wordsOf(keyword, error).slice(0, MAX_WORDS_CHARACTERS);
}

function wordsOf(keyword: string, error: string): string {
  if (keyword === "required") {
    const [, name] = /required property "(.*)"/s.exec(error) ?? [];
    if (name !== undefined) return `${JSON.stringify(name)} is missing`;
  }
  if (keyword === "type") {
    const [, is, wanted] = /^Instance type "(.*?)" is invalid\. Expected (.*)\.$/s.exec(error) ?? [];
    if (is !== undefined && wanted !== undefined)
      return `it is ${article(is)}, not ${wanted.replaceAll('"', "").split(", ").map(article).join(" or ")}`;
  }
  if (keyword === "enum") return error.replace(/^Instance does not match any of /, "it is none of ").replace(/\.$/, "");
  if (keyword === "const") return error.replace(/^Instance does not match /, "it is not ").replace(/\.$/, "");
  if (keyword === "false") return "it is not expected here";
  if (TELLING_KEYWORDS.has(keyword)) return error.replace(/\.$/, "").replace(/^(String|Array)/, (word) => `the ${word.toLowerCase()}`);
  return `it doesn't satisfy "${keyword}"`;
}

function article(type: string): string {
  if (type === "null") return "null";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
