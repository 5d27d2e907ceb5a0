// Receipts that prove nothing: real ones with a change in their text, their bytes, their parts or their entry.

import { randomBytes } from '../../../../test/support/random.js';
import {
  formatPolicy,
  LogFormatError,
  LogProofError,
  type NoteSignature,
  parsePolicy,
  parseSignatures,
  verifyReceipt,
} from '../../src/index.js';
import { vectorEntry, vectorKey, vectors } from './vectors.js';

interface Attempt {
  readonly receipt: string;
  readonly entry: Uint8Array;
}
/** Returns a number of at least 0 and less than the limit. */
type Choose = (limit: number) => number;
type Mutation = (attempt: Attempt, choose: Choose) => Attempt;

const policy = parsePolicy(formatPolicy([vectorKey('log')], [vectorKey('witness1')]));
/** With one witness, because verifying signatures takes most of the time. */
const withOneWitness = (receipt: string) => receipt.replaceAll(/— witness[23].*\n/g, '');
/** One of each size: the signatures of two checkpoints of the same tree may be exchanged. */
const originals: readonly Attempt[] = [
  ...new Map(
    vectors.receipts.map(({ index, receipt }) => [
      noteTextOf(receipt),
      { receipt: withOneWitness(receipt), entry: vectorEntry(index) },
    ]),
  ).values(),
];
const RANDOM_BYTES = 1024 * 1024;
const characters = [
  '\n',
  '\n\n',
  ' ',
  '\t',
  '\r',
  '\0',
  '+',
  '/',
  '=',
  '-',
  '_',
  '0',
  '1',
  'A',
  'é',
  '—',
  '\ufeff',
  '\ud800',
];

/** Changes the text alone. */
const inText =
  (change: (text: string, choose: Choose) => string): Mutation =>
  ({ receipt, entry }, choose) => ({ receipt: change(receipt, choose), entry });

/** Changes one line of the text, chosen among those of a form. */
const inLine = (form: RegExp, change: (line: string, choose: Choose) => string): Mutation =>
  inText((text, choose) => {
    const lines = text.split('\n');
    const places = [...lines.keys()].filter((place) => form.test(lines[place] ?? ''));
    const place = places[choose(places.length)] ?? 0;
    return lines.with(place, change(lines[place] ?? '', choose)).join('\n');
  });

/** Changes a bit of the bytes that a line has in base64, so that it stays well-formed. */
const inBytes = (line: string, choose: Choose) => {
  const [base64 = '', ...words] = line.split(' ').toReversed();
  const bytes = Buffer.from(base64, 'base64');
  const place = choose(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << choose(8)), place);
  return [...words.toReversed(), bytes.toString('base64')].join(' ');
};

const splice = (text: string, from: number, to: number, insert: string) =>
  text.slice(0, from) + insert + text.slice(to);
const pick = <T>(items: readonly T[], choose: Choose): T => {
  const item = items[choose(items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
};
const other = (choose: Choose) => pick(originals, choose).receipt;
const checkpointOf = (receipt: string) => receipt.slice(receipt.indexOf('\n\n') + 2);

const number = /^(index )?\d+$/;
const withNumber = (change: (value: number, choose: Choose) => unknown): Mutation =>
  inLine(number, (line, choose) => line.replace(/\d+/, (digits) => String(change(Number(digits), choose))));

const mutations: Readonly<Record<string, Mutation>> = {
  'a character replaced': inText((text, choose) => {
    const place = choose(text.length);
    return splice(text, place, place + 1, pick(characters, choose));
  }),
  'a character inserted': inText((text, choose) => {
    const place = choose(text.length + 1);
    return splice(text, place, place, pick(characters, choose));
  }),
  'a character removed': inText((text, choose) => {
    const place = choose(text.length);
    return splice(text, place, place + 1, '');
  }),
  'a bit of a character changed': inText((text, choose) => {
    const place = choose(text.length);
    return splice(text, place, place + 1, String.fromCharCode(text.charCodeAt(place) ^ (1 << choose(7))));
  }),
  'two characters exchanged': inText((text, choose) => {
    const place = choose(text.length - 1);
    return splice(text, place, place + 2, `${text[place + 1]}${text[place]}`);
  }),
  'a piece repeated': inText((text, choose) => {
    const place = choose(text.length);
    return splice(text, place, place, text.slice(place, place + 1 + choose(200)));
  }),
  'a piece removed': inText((text, choose) => {
    const place = choose(text.length);
    return splice(text, place, place + 1 + choose(200), '');
  }),
  'cut off': inText((text, choose) => text.slice(0, choose(text.length))),
  'a line removed': inText((text, choose) => {
    const lines = text.split('\n');
    return lines.toSpliced(choose(lines.length), 1).join('\n');
  }),
  'a line repeated': inText((text, choose) => {
    const lines = text.split('\n');
    const place = choose(lines.length);
    return lines.toSpliced(place, 0, lines[place] ?? '').join('\n');
  }),
  'a line moved': inText((text, choose) => {
    const lines = text.split('\n');
    const [line = ''] = lines.splice(choose(lines.length), 1);
    return lines.toSpliced(choose(lines.length), 0, line).join('\n');
  }),
  'a line of another receipt': inText((text, choose) => {
    const lines = text.split('\n');
    return lines.with(choose(lines.length), pick(other(choose).split('\n'), choose)).join('\n');
  }),
  'another hash': inLine(/^[\w+/]{43}=$/, inBytes),
  'another signature, key id or time': inLine(/^— /, inBytes),
  'unused bits of base64': inLine(/=$/, (line) =>
    line.replace(/(.)(=+)$/, (_, last: string, end: string) => {
      return `${String.fromCharCode(last.charCodeAt(0) + 1)}${end}`;
    }),
  ),
  'another name of a signature': inLine(/^— /, (line, choose) =>
    line.replace(/ \S+ /, pick([' ', ' x ', ' vectors.example/log '], choose)),
  ),
  'a number that is near': withNumber((value, choose) => value + pick([1, -1, 256, -256, 2 ** 32, 2 ** 53], choose)),
  'any number': withNumber((_, choose) => choose(200_000)),
  'another spelling of a number': withNumber((value, choose) =>
    pick([`0${value}`, `+${value}`, `${value}.0`, `${value}e0`, ` ${value}`], choose),
  ),
  'the checkpoint of another receipt': inText(
    (text, choose) => `${text.split('\n\n')[0]}\n\n${checkpointOf(other(choose))}`,
  ),
  'the signatures of another checkpoint': inText((text, choose) => {
    return [...text.split('\n\n').slice(0, 2), other(choose).split('\n\n')[2]].join('\n\n');
  }),
  'the text of another checkpoint': inText((text, choose) => text.replace(noteTextOf(text), noteTextOf(other(choose)))),
  'extra data': inText((text) => text.replace('\nindex', '\nextra AAAA\nindex')),
  'another entry': ({ receipt }, choose) => ({ receipt, entry: vectorEntry(choose(100_000)) }),
  'a byte of the entry changed': ({ receipt, entry }, choose) => {
    const place = choose(entry.length);
    return { receipt, entry: entry.with(place, (entry[place] ?? 0) ^ (1 << choose(8))) };
  },
  'an entry of another length': ({ receipt, entry }, choose) => ({
    receipt,
    entry: pick([entry.subarray(1), entry.subarray(0, -1), Buffer.concat([entry, Buffer.alloc(1)])], choose),
  }),
};

export interface MutationResult {
  readonly formatErrors: number;
  readonly proofErrors: number;
  /** Mutations that were accepted, or refused by another error: with their text. */
  readonly faults: readonly string[];
}

/** Verifies mutated receipts, each kind of mutation as often. */
export async function verifyMutations(count: number): Promise<MutationResult> {
  const choose = createChoice();
  const genuine = new Set(originals.map(meaningOf));
  const names = Object.keys(mutations);
  const outcomes = { formatErrors: 0, proofErrors: 0 };
  const faults: string[] = [];
  for (let done = 0; done < count; ) {
    const name = names[done % names.length] ?? '';
    const attempt = mutations[name]?.(pick(originals, choose), choose);
    if (!attempt || genuine.has(meaningOf(attempt))) continue;
    done += 1;
    const error = await verifyReceipt(attempt.receipt, attempt.entry, policy).catch((reason: unknown) => reason);
    if (error instanceof LogFormatError) outcomes.formatErrors += 1;
    else if (error instanceof LogProofError) outcomes.proofErrors += 1;
    else faults.push(`${name}: ${error instanceof Error ? error.stack : 'accepted'}\n${attempt.receipt}`);
  }
  return { ...outcomes, faults };
}

/**
 * What a receipt says beside its order of signatures. Signatures of unknown keys say nothing: readers have to ignore them, so
 * that adding one makes no other receipt.
 */
function meaningOf({ receipt, entry }: Attempt): string {
  const [head, text, signatures = '', ...rest] = receipt.split('\n\n');
  const lines = signatures.split('\n').filter((line) => !isUnknownSignature(line));
  return JSON.stringify([head, text, lines.toSorted(), rest, Buffer.from(entry).toString('base64')]);
}

function isUnknownSignature(line: string): boolean {
  try {
    const known = (signature: NoteSignature) =>
      [...policy.logKeys, ...policy.witnesses.map(({ key }) => key)].some(
        ({ name, keyId }) => name === signature.name && keyId === signature.keyId,
      );
    return !parseSignatures(`${line}\n`).some(known);
  } catch (error) {
    if (error instanceof LogFormatError) return false;
    throw error;
  }
}

function noteTextOf(receipt: string): string {
  return receipt.split('\n\n')[1] ?? '';
}

function createChoice(): Choose {
  let [bytes, offset] = [randomBytes(RANDOM_BYTES), 0];
  return (limit) => {
    if (offset === bytes.length) [bytes, offset] = [randomBytes(RANDOM_BYTES), 0];
    offset += 4;
    return bytes.readUInt32BE(offset - 4) % limit;
  };
}
