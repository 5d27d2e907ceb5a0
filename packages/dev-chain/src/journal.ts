// What the development chain writes down so that it can be made again: an append-only file, one record a line, each
// with its checksum. A record is on the disk before anybody is told of what it says.

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Address, Hex } from 'viem';

const HexText = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]*$' }));
const AddressText = Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }));

const JournalRecord = Type.Union([
  /** Always the first one, and only that. */
  Type.Object({
    kind: Type.Literal('genesis'),
    time: Type.Integer(),
    funded: Type.Array(AddressText),
    hash: HexText,
  }),
  /** An account that got its money after the genesis. */
  Type.Object({ kind: Type.Literal('funding'), address: AddressText, balance: HexText }),
  /** A transaction that was taken and cannot be mined yet. */
  Type.Object({ kind: Type.Literal('waiting'), hash: HexText, transaction: HexText }),
  Type.Object({
    kind: Type.Literal('block'),
    number: Type.Integer(),
    timestamp: Type.Integer(),
    hash: HexText,
    transactions: Type.Array(HexText),
  }),
]);
export type JournalRecord = Static<typeof JournalRecord>;

type Replay = (record: JournalRecord) => Promise<void>;

export interface Journal {
  /** Settles when the records are on the disk. What fails leaves nothing behind, and the next one may succeed. */
  append(records: readonly JournalRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** 64 bits tell chance from sameness; nobody forges a development chain. */
const CHECKSUM_CHARACTERS = 16;
const NEWLINE = 0x0a;
/** Some hundred records at a time. */
const READ_BYTES = 2 ** 20;

/** Hands every record of that file to `replay`, in order; what a kill left of an unfinished one is cut off. */
export async function openJournal(path: string, replay: Replay): Promise<Journal> {
  const file = await open(path, 'a+', 0o600);
  try {
    const whole = await readRecords(file, path, replay);
    await file.truncate(whole);
    await file.sync();
    // The name of a new file outlives a power cut only once its folder is written.
    await syncFolder(dirname(path));
    return new FileJournal(file, path, whole);
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function encodeRecord(record: JournalRecord): string {
  const text = JSON.stringify(record);
  return `${checksum(text)} ${text}\n`;
}

/** Answers with how many bytes the whole records take. */
async function readRecords(file: FileHandle, path: string, replay: Replay): Promise<number> {
  const buffer = Buffer.alloc(READ_BYTES);
  let whole = 0;
  let line = 0;
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, whole + rest.length);
    if (bytesRead === 0) break;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      line += 1;
      await readLine(rest.toString('utf8', start, end), `${path}, line ${line}`, replay);
      start = end + 1;
    }
    whole += start;
    rest = rest.subarray(start);
  }
  // A write that was cut short left the beginning of a record. A whole record with another end is damage.
  if (decodeRecord(rest.toString('utf8', 0, rest.length - 1))) throw damaged(`${path}, line ${line + 1}`);
  return whole;
}

async function readLine(text: string, place: string, replay: Replay): Promise<void> {
  const record = decodeRecord(text);
  if (!record) throw damaged(place);
  try {
    await replay(record);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The development chain cannot be made again from its journal (${place}): ${reason}`, {
      cause: error,
    });
  }
}

function decodeRecord(text: string): JournalRecord | undefined {
  const [sum, json] = [text.slice(0, CHECKSUM_CHARACTERS), text.slice(CHECKSUM_CHARACTERS + 1)];
  if (text[CHECKSUM_CHARACTERS] !== ' ' || sum !== checksum(json)) return undefined;
  const record: unknown = JSON.parse(json);
  return Value.Check(JournalRecord, record) ? record : undefined;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM_CHARACTERS);
}

function damaged(place: string): Error {
  return new Error(
    `The journal of the development chain is damaged (${place}). Put the file back from a copy, ` +
      'or remove it to begin a new chain.',
  );
}

class FileJournal implements Journal {
  readonly #file: FileHandle;
  readonly #path: string;
  /** Up to here everything is on the disk. */
  #length: number;
  /** What comes after that may be the rest of an attempt that failed. */
  #hasRest = false;

  constructor(file: FileHandle, path: string, length: number) {
    this.#file = file;
    this.#path = path;
    this.#length = length;
  }

  async append(records: readonly JournalRecord[]): Promise<void> {
    const bytes = Buffer.from(records.map(encodeRecord).join(''));
    try {
      if (this.#hasRest) await this.#cutRest();
      this.#hasRest = true;
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#length += bytes.length;
      this.#hasRest = false;
    } catch (error) {
      // Nobody was told of these records. Where even this fails, the next start finds them, whole or cut short.
      await this.#cutRest().catch(() => {});
      throw new Error(`The journal of the development chain cannot be written (${this.#path}).`, { cause: error });
    }
  }

  async #cutRest(): Promise<void> {
    await this.#file.truncate(this.#length);
    await this.#file.datasync();
    this.#hasRest = false;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
