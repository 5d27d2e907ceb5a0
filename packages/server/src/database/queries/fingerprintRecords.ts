// Artifacts in a list of fingerprints: records of digits, all of one length, as the database returns them, and their JSON.

export const FINGERPRINT_DIGITS = 64;
const UUID_DIGITS = 32;

/** What a digit of a record replaces. */
const DIGIT = '#';
const UUID = [8, 4, 4, 4, 12].map((length) => DIGIT.repeat(length)).join('-');
const FIELDS = `"fingerprint":"0x${DIGIT.repeat(FINGERPRINT_DIGITS)}","manifestId":"${UUID}"`;
const MARK_FIELD = `,"markId":"${UUID}"`;
const ZERO = '0'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** In the order of their fingerprints. */
export interface ArtifactRecords {
  readonly count: number;
  /** Of the fingerprint. */
  digitsAt(index: number): string;
  /** The first at or after `from` that is not less than these digits. */
  findFrom(from: number, digits: string): number;
  /** JSON, with a comma after each. */
  format(from: number, to: number): Buffer;
}

/** Fingerprint and manifest id. */
export const bareRecords = createRecordParser(`{${FIELDS}},`);

/** With the Mark, whose digits are all zero if it is private: spaces replace it then. */
export const markRecords = createRecordParser(`{${FIELDS}${MARK_FIELD}},`, (json, digits) => {
  if (!digits.subarray(-UUID_DIGITS).every((digit) => digit === ZERO)) return;
  const start = 1 + FIELDS.length;
  json.fill(SPACE, start, start + MARK_FIELD.length);
});

type Finish = (json: Uint8Array, digits: Uint8Array) => void;

function createRecordParser(form: string, finish?: Finish): (text: string) => ArtifactRecords {
  const template = Buffer.from(form);
  const places = Uint16Array.from([...form].flatMap((character, place) => (character === DIGIT ? place : [])));
  const length = places.length;

  return (text) => {
    const digitsAt = (index: number) => text.slice(index * length, index * length + FINGERPRINT_DIGITS);
    const count = text.length / length;
    return {
      count,
      digitsAt,
      findFrom(from, digits) {
        let [low, high] = [from, count];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (digitsAt(middle) < digits) low = middle + 1;
          else high = middle;
        }
        return low;
      },
      format(from, to) {
        const digits = Buffer.from(text.slice(from * length, to * length), 'latin1');
        const json = Buffer.allocUnsafe((to - from) * template.length).fill(template);
        placeDigits(json, digits, places, template.length);
        if (finish) {
          for (let index = 0; index < to - from; index += 1) {
            const record = json.subarray(index * template.length, (index + 1) * template.length);
            finish(record, digits.subarray(index * length, (index + 1) * length));
          }
        }
        return json;
      },
    };
  };
}

/** Byte by byte: a list has fifteen thousand digits, in pieces too short for copies of memory. */
function placeDigits(json: Uint8Array, digits: Uint8Array, places: Uint16Array, recordLength: number): void {
  let source = 0;
  for (let start = 0; start < json.length; start += recordLength) {
    for (let index = 0; index < places.length; index += 1) {
      json[start + (places[index] ?? 0)] = digits[source] ?? 0;
      source += 1;
    }
  }
}
