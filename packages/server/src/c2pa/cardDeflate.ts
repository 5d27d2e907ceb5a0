// A small compressor for the card. What zlib writes may change with its version and with the processor; these bytes are
// the same everywhere. The format is that of RFC 1950 and 1951, with the fixed codes, which need no table in the stream.

const shortestMatch = 3;
const longestMatch = 258;
/** How far back the format can point. */
const windowSize = 32_768;
/** How many earlier places are tried for a match: more gains few bytes and costs time in even surfaces. */
const longestSearch = 12;
/** A match as long as this is taken as it is: it is an even surface or a whole row, and not worth a search. */
const goodMatch = 64;

const hashBits = 14;
const bytesHashed = 4;

const endOfBlock = 256;
const firstLengthCode = 257;
const longestMatchCode = 285;
const distanceCodeBits = 5;

const symbolSizes = Uint8Array.from({ length: 288 }, (_, symbol) => {
  if (symbol < 144) return 8;
  if (symbol < 256) return 9;
  return symbol < 280 ? 7 : 8;
});
const symbolCodes = Uint16Array.from(symbolSizes, (size, symbol) => {
  if (symbol < 144) return reversed(0b00110000 + symbol, size);
  if (symbol < 256) return reversed(0b110010000 + symbol - 144, size);
  return symbol < 280 ? reversed(symbol - 256, size) : reversed(0b11000000 + symbol - 280, size);
});
const distanceCodes = Uint8Array.from({ length: 30 }, (_, code) => reversed(code, distanceCodeBits));

/** A zlib stream of the data. `stride` is the distance at which the data mostly repeats: the length of a row. */
export function deflate(data: Uint8Array, stride: number): Uint8Array {
  const bits = new BitWriter(data.length);
  // A window of 32 KB, no dictionary; the low bits make the two bytes a multiple of 31.
  bits.write(0x78, 8);
  bits.write(0x01, 8);
  const lastBlock = 1;
  const fixedCodes = 1;
  bits.write(lastBlock, 1);
  bits.write(fixedCodes, 2);
  const earlier = new EarlierPlaces(data);
  let place = 0;
  while (place < data.length) {
    const { length, distance } = longestAt(data, place, stride, earlier);
    const matched = length >= shortestMatch;
    if (matched) bits.writeMatch(length, distance);
    else bits.writeSymbol(data[place] ?? 0);
    const said = matched ? length : 1;
    // What repeats at length is found again through its beginning, so its inside need not be remembered.
    const remembered = said < goodMatch ? said : 1;
    for (let inside = 0; inside < remembered; inside++) earlier.remember(place + inside);
    place += said;
  }
  bits.writeSymbol(endOfBlock);
  bits.fillByte();
  const checksum = adler32(data);
  for (const shift of [24, 16, 8, 0]) bits.write((checksum >>> shift) & 255, 8);
  return bits.written();
}

type Match = { length: number; distance: number };

function longestAt(data: Uint8Array, place: number, stride: number, earlier: EarlierPlaces): Match {
  let length = 0;
  let distance = 0;
  const consider = (candidate: number) => {
    const matched = matchLength(data, place, candidate);
    if (matched <= length) return;
    length = matched;
    distance = candidate;
  };
  consider(1);
  if (length < goodMatch) consider(stride);
  if (length >= goodMatch) return { length, distance };
  let from = earlier.last(place);
  for (let tries = 0; tries < longestSearch && from >= 0 && place - from <= windowSize; tries++) {
    consider(place - from);
    from = earlier.before(from);
  }
  return { length, distance };
}

function matchLength(data: Uint8Array, place: number, distance: number): number {
  if (distance > place) return 0;
  const limit = Math.min(longestMatch, data.length - place);
  let length = 0;
  while (length < limit && data[place + length] === data[place + length - distance]) length++;
  return length;
}

/** Where the same four bytes were seen before, latest first. */
class EarlierPlaces {
  readonly #data: Uint8Array;
  readonly #latest = new Int32Array(1 << hashBits).fill(-1);
  readonly #previous: Int32Array;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#previous = new Int32Array(data.length);
  }

  last(place: number): number {
    return this.#latest[this.#hash(place)] ?? -1;
  }

  before(place: number): number {
    return this.#previous[place] ?? -1;
  }

  remember(place: number): void {
    const hash = this.#hash(place);
    this.#previous[place] = this.#latest[hash] ?? -1;
    this.#latest[hash] = place;
  }

  #hash(place: number): number {
    let word = 0;
    for (let byte = 0; byte < bytesHashed; byte++) word = (word << 8) | (this.#data[place + byte] ?? 0);
    // Knuth's multiplier: 2^32 divided by the golden ratio spreads neighbouring words.
    return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
  }
}

class BitWriter {
  readonly #bytes: Uint8Array;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(dataLength: number) {
    // The longest code has nine bits; header, checksum and end take less than the rest.
    this.#bytes = new Uint8Array(dataLength + (dataLength >> 3) + 16);
  }

  write(value: number, size: number): void {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += size;
    while (this.#pendingBits >= 8) {
      this.#bytes[this.#length++] = this.#pending & 255;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  writeSymbol(symbol: number): void {
    this.write(symbolCodes[symbol] ?? 0, symbolSizes[symbol] ?? 0);
  }

  writeMatch(length: number, distance: number): void {
    if (length === longestMatch) this.writeSymbol(longestMatchCode);
    else {
      // Four codes to each power of two.
      const { extra, leading } = split(length - shortestMatch, 2);
      this.writeSymbol(firstLengthCode + leading);
      this.write((length - shortestMatch) & ((1 << extra) - 1), extra);
    }
    // Two codes to each power of two.
    const { extra, leading } = split(distance - 1, 1);
    this.write(distanceCodes[leading] ?? 0, distanceCodeBits);
    this.write((distance - 1) & ((1 << extra) - 1), extra);
  }

  fillByte(): void {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Which code a number has when each power of two is cut in 2^precision codes, and how many bits it leaves unsaid. */
function split(value: number, precision: number): { extra: number; leading: number } {
  const extra = Math.max(31 - Math.clz32(value) - precision, 0);
  return { extra, leading: (extra << precision) + (value >> extra) };
}

/** Codes are written from their high bit, all else from the low bit. */
function reversed(code: number, size: number): number {
  let result = 0;
  for (let bit = 0; bit < size; bit++) result |= ((code >> bit) & 1) << (size - 1 - bit);
  return result;
}

function adler32(data: Uint8Array): number {
  const modulus = 65_521;
  // The sums stay exact integers for far more bytes than this.
  const bytesBetweenDivisions = 4096;
  let low = 1;
  let high = 0;
  for (let from = 0; from < data.length; from += bytesBetweenDivisions) {
    const to = Math.min(from + bytesBetweenDivisions, data.length);
    for (let place = from; place < to; place++) {
      low += data[place] ?? 0;
      high += low;
    }
    low %= modulus;
    high %= modulus;
  }
  return ((high << 16) | low) >>> 0;
}
