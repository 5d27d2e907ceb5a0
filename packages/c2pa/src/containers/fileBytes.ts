// Random access to the bytes of a file, without a copy of it.

/** Arguments that engines accept in one call. */
const MAX_ARGUMENTS = 8192;

/** All places count from the start of the file. Reading beyond its end throws a RangeError. */
export class FileBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get size(): number {
    return this.#bytes.length;
  }

  u8(at: number): number {
    return this.#view.getUint8(at);
  }

  u16(at: number, isLittle = false): number {
    return this.#view.getUint16(at, isLittle);
  }

  u32(at: number, isLittle = false): number {
    return this.#view.getUint32(at, isLittle);
  }

  /** Rounded when it is larger than any file. */
  u64(at: number, isLittle = false): number {
    return Number(this.#view.getBigUint64(at, isLittle));
  }

  /** A text of one byte for each character. */
  text(start: number, end: number): string {
    const bytes = this.slice(start, end);
    let text = '';
    for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
      text += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
    }
    return text;
  }

  /** False also where the file ends before the text does. */
  hasText(at: number, text: string): boolean {
    return at + text.length <= this.size && this.text(at, at + text.length) === text;
  }

  /** The same bytes, not a copy: they must not be changed. */
  slice(start: number, end: number): Uint8Array {
    if (start < 0 || end < start || end > this.size) throw new RangeError('the file ends too early');
    return this.#bytes.subarray(start, end);
  }

  /** The place of the first such byte in a range, or -1. */
  indexOf(byte: number, from: number, to = this.size): number {
    const found = this.#bytes.subarray(from, to).indexOf(byte);
    if (found < 0 && from < to && to > this.size) throw new RangeError('the file ends too early');
    return found < 0 ? -1 : from + found;
  }

  /** The place of the first such text that starts in a range, or -1. */
  find(text: string, from: number, to = this.size): number {
    const first = text.charCodeAt(0);
    let at = this.indexOf(first, from, to);
    while (at >= 0 && !this.hasText(at, text)) at = this.indexOf(first, at + 1, to);
    return at;
  }

  /** Whether a range has nothing but zeros. */
  isZero(start: number, end: number): boolean {
    return this.slice(start, end).every((byte) => byte === 0);
  }
}
