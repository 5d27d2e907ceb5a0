// The journal of the development chain: an append-only file with one record per line, each with a checksum. A start
// replays it. A record is on disk before clients see its effect.

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Address, Hex } from 'viem';

const HexText = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]*$' }));
const AddressText = Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }));

const JournalRecord = Type.Union([
  /** Always the first record. */
  Type.Object({
    kind: Type.Literal('genesis'),
    time: Type.Integer(),
    funded: Type.Array(AddressText),
    hash: HexText,
  }),
  /** Funds for an account that was added after the genesis. */
  Type.Object({ kind: Type.Literal('funding'), address: AddressText, balance: HexText }),
  /** An accepted transaction that cannot be mined yet. */
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
  /** Length in bytes. Everything up to here is on disk. */
  readonly length: number;
  /** Resolves when the records are on disk. A failed write leaves nothing behind, and the next one may succeed. */
  append(records: readonly JournalRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** 64 bits detect damage; a development chain needs no protection against forgery. */
const CHECKSUM_CHARACTERS = 16;
const NEWLINE = 0x0a;
/** Some hundred records. */
const READ_BYTES = 2 ** 20;

/** Replays every record in order, and removes an incomplete last one that a kill left behind. */
export async function openJournal(path: string, replay: Replay): Promise<Journal> {
  const file = await open(path, 'a+', 0o600);
  try {
    const completeLength = await readRecords(file, path, replay);
    await file.truncate(completeLength);
    await file.sync();
    // A new file survives a power cut only after its folder is synced.
    await syncFolder(dirname(path));
    return new FileJournal(file, path, completeLength);
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function encodeRecord(record: JournalRecord): string {
  const text = JSON.stringify(record);
  return `${checksum(text)} ${text}\n`;
}

/** Replays the complete records between two positions, while another process appends more. */
export async function replayJournal(path: string, from: number, to: number, replay: Replay): Promise<void> {
  const file = await open(path);
  try {
    await readRecords(file, path, replay, from, to);
  } finally {
    await file.close();
  }
}

/** Returns the end of the complete records in bytes. */
async function readRecords(
  file: FileHandle,
  path: string,
  replay: Replay,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Promise<number> {
  const buffer = Buffer.alloc(READ_BYTES);
  let whole = from;
  let line = 0;
  let rest = Buffer.alloc(0);
  for (;;) {
    const position = whole + rest.length;
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, to - position), position);
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
  // An interrupted write leaves the beginning of a record. A complete record without its line end is damage.
  if (decodeRecord(rest.toString('utf8', 0, rest.length - 1))) throw damageError(`${path}, line ${line + 1}`);
  return whole;
}

async function readLine(text: string, place: string, replay: Replay): Promise<void> {
  const record = decodeRecord(text);
  if (!record) throw damageError(place);
  try {
    await replay(record);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The development chain cannot be replayed from its journal (${place}): ${reason}`, {
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

function damageError(place: string): Error {
  return new Error(
    `The journal of the development chain is damaged (${place}). Restore the file from a backup, ` +
      'or delete it to start a new chain.',
  );
}

class FileJournal implements Journal {
  readonly #file: FileHandle;
  readonly #path: string;
  #length: number;
  /** A failed write may have left bytes after that. */
  #hasLeftover = false;

  constructor(file: FileHandle, path: string, length: number) {
    this.#file = file;
    this.#path = path;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  async append(records: readonly JournalRecord[]): Promise<void> {
    const bytes = Buffer.from(records.map(encodeRecord).join(''));
    try {
      if (this.#hasLeftover) await this.#removeLeftover();
      this.#hasLeftover = true;
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#length += bytes.length;
      this.#hasLeftover = false;
    } catch (error) {
      // Clients have not seen these records. If this fails too, the next start finds them, complete or not.
      await this.#removeLeftover().catch(() => {});
      throw new Error(`The journal of the development chain cannot be written (${this.#path}).`, { cause: error });
    }
  }

  async #removeLeftover(): Promise<void> {
    await this.#file.truncate(this.#length);
    await this.#file.datasync();
    this.#hasLeftover = false;
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
