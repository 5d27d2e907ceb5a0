// Reads Chromaprints: the text, as `fpcalc` prints it, is compressed.

/** `CHROMAPRINT_ALGORITHM_TEST2`, the default of the library. */
const ALGORITHM = 1;
/** The algorithm, then the number of items. */
const HEADER_BYTES = 4;
const ITEM_BITS = 32;

/** Values of URL-safe base64, by character code; -1 for other characters. */
const base64Values = new Int8Array(128).fill(-1);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  base64Values[character.charCodeAt(0)] = value;
}

/**
 * The 32-bit items, one for each eighth of a second. Undefined if the text is malformed. Never throws; takes a time
 * proportional to the length of the text.
 *
 * After the header come, for each item, the distances between the bits in which it differs from the previous item: three bits
 * each, ended by 0. The excess of distances of 7 and more follows at the end, in five bits each.
 */
export function decodeChromaprint(text: string): Uint32Array | undefined {
  const bytes = decodeBase64(text);
  if (!bytes || bytes.length < HEADER_BYTES || bytes[0] !== ALGORITHM) return undefined;
  const [, high = 0, middle = 0, low = 0] = bytes;
  const count = high * 2 ** 16 + middle * 2 ** 8 + low;
  const distances = readDistances(bytes, count);
  if (!distances) return undefined;
  const excess = new BitReader(bytes, Math.ceil(distances.endBit / 8) * 8);

  const items = new Uint32Array(count);
  let index = 0;
  let item = 0;
  let bit = -1;
  for (const distance of distances.values) {
    if (distance === 0) {
      items[index] = item;
      index += 1;
      bit = -1;
      continue;
    }
    const more = distance === 7 ? excess.read(5) : 0;
    bit += distance + (more ?? ITEM_BITS);
    if (bit >= ITEM_BITS) return undefined;
    item ^= 1 << bit;
  }
  return items;
}

/** Undefined if the text ends before all items have ended. */
function readDistances(bytes: Uint8Array, count: number): { values: readonly number[]; endBit: number } | undefined {
  const reader = new BitReader(bytes, HEADER_BYTES * 8);
  const values: number[] = [];
  for (let ended = 0; ended < count; ) {
    const distance = reader.read(3);
    if (distance === undefined) return undefined;
    values.push(distance);
    if (distance === 0) ended += 1;
  }
  return { values, endBit: reader.at };
}

/** Reads the lowest bit of each byte first. */
class BitReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  /** Reads at most 8 bits. Undefined after the end. */
  read(width: number): number | undefined {
    if (this.at + width > this.bytes.length * 8) return undefined;
    const byte = this.at >> 3;
    const both = (this.bytes[byte] ?? 0) | ((this.bytes[byte + 1] ?? 0) << 8);
    const value = (both >> (this.at & 7)) & ((1 << width) - 1);
    this.at += width;
    return value;
  }
}

function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = base64Values[text.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[at] = (bits >> bitCount) & 0xff;
    at += 1;
  }
  return bytes;
}
