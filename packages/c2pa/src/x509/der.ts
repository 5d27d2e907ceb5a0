// Reads DER strictly. A signature covers bytes: libraries that also accept other encodings, repeated elements or bytes after the
// end leave room for two readings of the same bytes.

export interface DerElement extends DerBytes {
  /** Elements inside; none in a primitive element. */
  readonly children: readonly DerElement[];
}

interface DerBytes {
  readonly tag: number;
  readonly body: Uint8Array;
  /** The body with its header. */
  readonly whole: Uint8Array;
}

export class DerError extends Error {}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context2: 0xa2,
  context3: 0xa3,
} as const;

/** No certificate or token is nested more deeply. */
const MAX_DEPTH = 24;
/** A token with a dozen certificates has 2,000. */
const MAX_ELEMENTS = 10_000;
const CONSTRUCTED = 0x20;
/** Tags of more than one byte follow this one; no certificate or token has them. */
const LONG_TAG = 0x1f;
/** Three bytes are enough for 16 MB. */
const MAX_LENGTH_BYTES = 3;

/** Reads one element that takes up all the bytes. */
export function parseDer(bytes: Uint8Array, maxElements = MAX_ELEMENTS): DerElement {
  const [element, ...others] = parseAll(bytes, 0, { left: maxElements });
  if (!element || others.length > 0) throw new DerError('not one DER element');
  return element;
}

function parseAll(bytes: Uint8Array, depth: number, budget: { left: number }): DerElement[] {
  if (depth > MAX_DEPTH) throw new DerError('nested too deeply');
  const elements: DerElement[] = [];
  for (const element of splitDer(bytes)) {
    budget.left -= 1;
    if (budget.left < 0) throw new DerError('too many elements');
    const children = element.tag & CONSTRUCTED ? parseAll(element.body, depth + 1, budget) : [];
    elements.push({ ...element, children });
  }
  return elements;
}

/** Reads elements one after the other, without those inside them. */
export function* splitDer(bytes: Uint8Array): Generator<DerBytes> {
  for (let offset = 0; offset < bytes.length; ) {
    const { tag, start, end } = readHeader(bytes, offset);
    yield { tag, body: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
    offset = end;
  }
}

function readHeader(bytes: Uint8Array, offset: number): { tag: number; start: number; end: number } {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new DerError('ends too early');
  if ((tag & LONG_TAG) === LONG_TAG) throw new DerError('unexpected tag');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = offset + 2 + lengthBytes;
  // 0x80 is the indefinite length of BER.
  if (first === 0x80 || lengthBytes > MAX_LENGTH_BYTES || start > bytes.length) throw new DerError('invalid length');
  const length = lengthBytes === 0 ? first : readNumber(bytes.subarray(offset + 2, start));
  const isShortest = lengthBytes === 0 || (length >= 0x80 && length >= 2 ** (8 * (lengthBytes - 1)));
  if (!isShortest || start + length > bytes.length) throw new DerError('invalid length');
  return { tag, start, end: start + length };
}

function readNumber(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** Takes the elements of a sequence in order. */
export class DerSequence {
  private position = 0;

  constructor(private readonly elements: readonly DerElement[]) {}

  static of(element: DerElement, tag: number = TAG.sequence): DerSequence {
    return new DerSequence(requireTag(element, tag).children);
  }

  next(tag: number): DerElement {
    const element = this.optional(tag);
    if (!element) throw new DerError('an element is missing');
    return element;
  }

  optional(...tags: readonly number[]): DerElement | undefined {
    const element = this.elements[this.position];
    if (!element || !tags.includes(element.tag)) return undefined;
    this.position += 1;
    return element;
  }

  /** Throws if elements are left. */
  end(): void {
    if (this.position < this.elements.length) throw new DerError('unexpected element');
  }
}

function requireTag(element: DerElement, tag: number): DerElement {
  if (element.tag !== tag) throw new DerError('unexpected element');
  return element;
}

/** Returns the only element inside. */
export function onlyChild(element: DerElement, tag: number): DerElement {
  const [child, ...others] = element.children;
  if (!child || others.length > 0) throw new DerError('not one element');
  return requireTag(child, tag);
}

/** Reads an object identifier, as numbers with dots. */
export function oidText({ body }: DerElement): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of body) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new DerError('an object identifier is too large');
    if (byte & 0x80) continue;
    parts.push(value);
    value = 0;
  }
  const [first, ...rest] = parts;
  if (first === undefined || (body.at(-1) ?? 0) & 0x80) throw new DerError('invalid object identifier');
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}

/** Reads a number from 0 to 2^31. */
export function smallInteger(element: DerElement): number {
  const bytes = positiveInteger(element);
  if (bytes.length > 4) throw new DerError('unexpected number');
  return readNumber(bytes);
}

/** Reads a number that is not negative, as its bytes without leading zeros. */
export function positiveInteger({ body }: DerElement): Uint8Array {
  const [first, second = 0] = body;
  const isShortest = first !== 0 || body.length === 1 || (second & 0x80) !== 0;
  if (first === undefined || first & 0x80 || !isShortest) throw new DerError('unexpected number');
  return first === 0 ? body.subarray(1) : body;
}

/** Reads whether it is true. BER has 254 other bytes for that, which two readers could take differently. */
export function readBoolean({ body }: DerElement): boolean {
  const [value] = body;
  if (body.length !== 1 || (value !== 0 && value !== 0xff)) throw new DerError('unexpected truth value');
  return value === 0xff;
}

/** Throws a DerError for everything but whole bytes. */
export function bitStringBytes({ body }: DerElement): Uint8Array {
  if (body[0] !== 0) throw new DerError('unexpected bits');
  return body.subarray(1);
}

/** DER allows one form of each time: in UTC, with seconds, and with fractions only where they are not zero. */
export function readTime({ tag, body }: DerElement): Date {
  const text = String.fromCharCode(...body);
  const form =
    tag === TAG.utcTime
      ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)()Z$/
      : /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{0,8}[1-9])?Z$/;
  const [, year = '', month, day, hour, minute, second, fraction = ''] = form.exec(text) ?? [];
  const century = year.length === 2 ? (year < '50' ? '20' : '19') : '';
  const iso = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const time = new Date(`${iso}${fraction.slice(0, 4)}Z`);
  // Dates that do not exist, such as February 30, would become others.
  if (!time.toJSON()?.startsWith(iso)) throw new DerError('invalid time');
  return time;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
