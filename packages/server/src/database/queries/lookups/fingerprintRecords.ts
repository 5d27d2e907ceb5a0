// Artifacts in a list of fingerprints: records of digits, all of one length, as the database returns them, and their JSON.

export const FINGERPRINT_DIGITS = 64;
const UUID_DIGITS = 32;
const NO_UUID = '0'.repeat(UUID_DIGITS);

/** Reads records by fingerprint. Each has the digits of fingerprint and manifest id, and maybe of a Mark. */
export class ArtifactRecords {
  readonly count: number;
  readonly #text: string;
  readonly #hasMarks: boolean;
  readonly #length: number;

  /** @param hasMarks whether records have a Mark; its digits are all zero if it is private */
  constructor(text: string, hasMarks: boolean) {
    this.#text = text;
    this.#hasMarks = hasMarks;
    this.#length = FINGERPRINT_DIGITS + UUID_DIGITS + (hasMarks ? UUID_DIGITS : 0);
    this.count = text.length / this.#length;
  }

  /** Returns the digits of the fingerprint. */
  digitsAt(index: number): string {
    const start = index * this.#length;
    return this.#text.slice(start, start + FINGERPRINT_DIGITS);
  }

  /** The first at or after `from` that is not less than these digits. */
  findFrom(from: number, digits: string): number {
    let [low, high] = [from, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.digitsAt(middle) < digits) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** JSON, with a comma after each. */
  format(from: number, to: number): string {
    let json = '';
    for (let index = from; index < to; index += 1) {
      const manifestId = index * this.#length + FINGERPRINT_DIGITS;
      const mark = this.#hasMarks ? this.#formatMark(manifestId + UUID_DIGITS) : '';
      json += `{"fingerprint":"0x${this.digitsAt(index)}","manifestId":"${this.#uuidAt(manifestId)}"${mark}},`;
    }
    return json;
  }

  #formatMark(start: number): string {
    const isPrivate = this.#text.startsWith(NO_UUID, start);
    return isPrivate ? '' : `,"markId":"${this.#uuidAt(start)}"`;
  }

  #uuidAt(start: number): string {
    const part = (from: number, to: number) => this.#text.slice(start + from, start + to);
    return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
  }
}
