// Lists the lies that can be told with a JSON document: each of its fields, and each that its schema allows, changed,
// removed, added, or replaced by that of another document.

export interface JsonLie {
  /** A name such as `/mark/name changed`. */
  readonly name: string;
  /** Returns a changed copy. */
  readonly tamper: (honest: unknown) => unknown;
}

/** The part of JSON Schema that the API's declarations use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
}

type Path = readonly (string | number)[];

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const YEAR_SECONDS = BigInt(YEAR_MS / 1000);
/** Longer texts are encoded bytes: they are changed in several places. */
const LONG_TEXT = 100;

/** @param schema of the document; fields without one are changed as well, by their value */
export function listJsonLies(honest: unknown, others: unknown, schema: unknown = {}): JsonLie[] {
  // Declarations are JSON Schema, whichever way they were built.
  return listAt([], honest, others, schema as Schema);
}

function listAt(path: Path, honest: unknown, others: unknown, schema: Schema): JsonLie[] {
  const values: [string, unknown][] = [
    ...listChanges(honest, schema),
    ...(others === undefined || isEqual(others, honest) ? [] : [["replaced by another Artifact's", others] as const]),
    ...(path.length === 0 ? [] : [['removed', undefined] as const]),
  ].map(([what, value]) => [what, value]);
  const own = values.map(([what, value]) => lieAt(path, what, value));
  return [...own, ...listInside(path, honest, others, schema)];
}

function listInside(path: Path, honest: unknown, others: unknown, schema: Schema): JsonLie[] {
  if (Array.isArray(honest)) {
    const theirs = Array.isArray(others) ? others : [];
    return honest.flatMap((item, index) => listAt([...path, index], item, theirs[index], schema.items ?? {}));
  }
  if (!isObject(honest)) return [];
  const theirs = isObject(others) ? others : {};
  const { properties = {} } = schema;
  const present = Object.entries(honest).flatMap(([key, value]) =>
    listAt([...path, key], value, theirs[key], properties[key] ?? {}),
  );
  const absent = Object.entries(properties)
    .filter(([key]) => !(key in honest))
    .map(([key, property]) => lieAt([...path, key], 'added', theirs[key] ?? sampleOf(property)));
  return [...present, ...absent];
}

function lieAt(path: Path, what: string, value: unknown): JsonLie {
  return { name: `/${path.join('/')} ${what}`, tamper: (document) => setAt(document, path, value) };
}

function listChanges(honest: unknown, schema: Schema): (readonly [string, unknown])[] {
  const types = typesOf(schema);
  return [
    ...(schema.enum ? toChanges(schema.enum.filter((value) => value !== honest)) : listOtherValues(honest)),
    ...(honest !== null && types.includes('null') ? toChanges([null]) : []),
    ...(honest === null && types.length > 1 ? toChanges([sampleOf(schema)]) : []),
  ];
}

function toChanges(values: readonly unknown[]): [string, unknown][] {
  return values.map((value) => [`changed to ${JSON.stringify(value)}`, value]);
}

function listOtherValues(honest: unknown): (readonly [string, unknown])[] {
  if (typeof honest === 'string') return listTexts(honest);
  if (typeof honest === 'number') return toChanges([honest + 1, 0]);
  if (typeof honest === 'boolean') return toChanges([!honest]);
  if (Array.isArray(honest))
    return honest.length === 0
      ? []
      : [
          ['emptied', []],
          ['with its first element twice', [honest[0], ...honest]],
        ];
  return isObject(honest) && Object.keys(honest).length > 0 ? [['emptied', {}]] : [];
}

/** Other texts of the same form, so that no schema gives the lie away. */
function listTexts(honest: string): [string, string][] {
  const rule = textRules.find(([form]) => form.test(honest));
  return rule ? rule[1](honest) : [['changed', `${honest} (Mallory)`]];
}

const textRules: readonly (readonly [form: RegExp, change: (honest: string) => [string, string][]])[] = [
  [
    /^\d{4}-\d\d-\d\dT/,
    (honest) => [
      ['changed to a year earlier', new Date(Date.parse(honest) - YEAR_MS).toISOString()],
      ['changed to a day later', new Date(Date.parse(honest) + DAY_MS).toISOString()],
    ],
  ],
  [/^0x$/, () => [['changed', '0x00']]],
  [/^0x[0-9a-f]{1,16}$/i, (honest) => listQuantities(BigInt(honest))],
  [new RegExp(`^[^]{${LONG_TEXT},}$`), (honest) => [0.2, 0.5, 0.8, 0.98].map((place) => changeAt(honest, place))],
  [/^(0x)?[0-9a-f]{16,}$|^[0-9a-f]{8}-[0-9a-f-]{27}$|^urn:/i, (honest) => [changeAt(honest, 0.9)]],
  [/^https?:/, (honest) => [['changed', honest.replace(/\/\/[^/]+/, '//mallory.example')]]],
];

function listQuantities(number: bigint): [string, string][] {
  const values = [number + 1n, number > YEAR_SECONDS ? number - YEAR_SECONDS : 0n].filter((value) => value !== number);
  return values.map((value) => [`changed to ${value}`, `0x${value.toString(16)}`]);
}

function changeAt(honest: string, place: number): [string, string] {
  return [`changed at ${place * 100} %`, replaceCharacter(honest, Math.floor(honest.length * place))];
}

/** Hexadecimal digits stay hexadecimal, base64 stays base64. */
function replaceCharacter(text: string, index: number): string {
  const at = text.slice(index).search(/[0-9a-zA-Z]/) + index;
  const old = text[at] ?? '';
  const other = /[0-9a-fA-F]/.test(old) ? (old === '1' ? '2' : '1') : old === 'z' ? 'y' : 'z';
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** A value that fits a schema. */
function sampleOf(schema: Schema): unknown {
  const [type] = typesOf(schema);
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (type === 'object') {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sampleOf(value)]));
  }
  if (type === 'array') return [sampleOf(schema.items ?? {})];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  if (schema.format === 'uuid') return '11111111-1111-4111-8111-111111111111';
  if (schema.format === 'date-time') return '2020-01-01T00:00:00.000Z';
  if (schema.pattern?.includes('{64}')) return `0x${'1'.repeat(64)}`;
  if (schema.pattern?.includes('{40}')) return `0x${'1'.repeat(40)}`;
  return 'Mallory';
}

function typesOf({ type, properties }: Schema): readonly string[] {
  if (typeof type === 'string') return [type];
  return type ?? (properties ? ['object'] : []);
}

/** A copy with that value at the path; undefined removes it. Does nothing where the path does not exist. */
function setAt(document: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(document)) {
    if (typeof key !== 'number' || key >= document.length) return document;
    if (rest.length === 0 && value === undefined) return document.toSpliced(key, 1);
    return document.with(key, setAt(document[key], rest, value));
  }
  if (!isObject(document)) return document;
  const { [key]: old, ...others } = document;
  if (rest.length === 0 && value === undefined) return others;
  return { ...document, [key]: setAt(old, rest, value) };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
