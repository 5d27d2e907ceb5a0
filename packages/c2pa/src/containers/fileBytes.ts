// Random access to the bytes of a file, in memory or not, without a copy of it.

/** Where a file's bytes come from, such as a Blob in a browser's worker. */
export interface ByteSource {
  readonly size: number;
  /** The bytes of a range inside the file. */
  read(start: number, end: number): Uint8Array;
}

/** Read at once from sources that are not in memory: parsers go forward in small steps. */
const WINDOW_BYTES = 64 * 1024;
/** Arguments that engines accept in one call. */
const MAX_ARGUMENTS = 8192;

/** All places count from the start of the file. Reading beyond its end throws a RangeError. */
export class FileBytes {
  readonly size: number;
  readonly #source: ByteSource | undefined;
  #window: Uint8Array;
  #view: DataView;
  #start = 0;

  constructor(content: Uint8Array | ByteSource) {
    const isInMemory = content instanceof Uint8Array;
    this.size = isInMemory ? content.length : content.size;
    this.#source = isInMemory ? undefined : content;
    this.#window = isInMemory ? content : new Uint8Array();
    this.#view = viewOf(this.#window);
  }

  u8(at: number): number {
    const offset = this.#load(at, 1);
    return this.#view.getUint8(offset);
  }

  u16(at: number, isLittle = false): number {
    const offset = this.#load(at, 2);
    return this.#view.getUint16(offset, isLittle);
  }

  u32(at: number, isLittle = false): number {
    const offset = this.#load(at, 4);
    return this.#view.getUint32(offset, isLittle);
  }

  /** Rounded when it is larger than any file. */
  u64(at: number, isLittle = false): number {
    const offset = this.#load(at, 8);
    return Number(this.#view.getBigUint64(offset, isLittle));
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

  /** Of a file in memory, the same bytes: they must not be changed. */
  slice(start: number, end: number): Uint8Array {
    if (start < 0 || end < start || end > this.size) throw new RangeError('the file ends too early');
    if (start < this.#start || end > this.#start + this.#window.length) {
      return this.#source?.read(start, end) ?? new Uint8Array();
    }
    return this.#window.subarray(start - this.#start, end - this.#start);
  }

  /** The place of the first such byte in a range, or -1. */
  indexOf(byte: number, from: number, to = this.size): number {
    for (let at = from; at < to; ) {
      const offset = this.#load(at, 1);
      const found = this.#window.subarray(offset, to - this.#start).indexOf(byte);
      if (found >= 0) return at + found;
      at = this.#start + this.#window.length;
    }
    return -1;
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
    for (let at = start; at < end; ) {
      const offset = this.#load(at, 1);
      const part = this.#window.subarray(offset, offset + end - at);
      if (part.some((byte) => byte !== 0)) return false;
      at += part.length;
    }
    return true;
  }

  /** Loads the bytes unless they are, and returns their place in the window. */
  #load(at: number, length: number): number {
    if (at >= this.#start && at + length <= this.#start + this.#window.length) return at - this.#start;
    if (at < 0 || at + length > this.size || !this.#source) throw new RangeError('the file ends too early');
    this.#window = this.#source.read(at, Math.min(this.size, at + WINDOW_BYTES));
    this.#view = viewOf(this.#window);
    this.#start = at;
    return 0;
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
