// The fingerprints of all leaves, on disk in 256 parts, so that any number of them is compared in little memory.

import { appendFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, FileError } from '../../errors.js';
import { readIfThere } from '../durableFiles.js';

/** A fingerprint, and the first bytes of the hash of the metadata: enough to notice another one. */
const FINGERPRINT_BYTES = 32;
const RECORD_BYTES = FINGERPRINT_BYTES + 8;
const MAX_BUFFERED = 65_536;

export interface IndexedRegistration {
  readonly fingerprint: string;
  /** The hash of the metadata; undefined: any. */
  readonly metadata?: string;
}

export class LeafIndex {
  #buffered: Buffer[] = [];

  constructor(private readonly folder: string) {}

  /** The same one may be added twice. */
  async add(registrations: readonly Required<IndexedRegistration>[]): Promise<void> {
    for (const { fingerprint, metadata } of registrations) {
      this.#buffered.push(Buffer.from(fingerprint.slice(2) + metadata.slice(2, 18), 'hex'));
    }
    if (this.#buffered.length >= MAX_BUFFERED) await this.flush();
  }

  async flush(): Promise<void> {
    const parts = group(this.#buffered, ([first = 0]) => first);
    this.#buffered = [];
    await mkdir(join(this.folder, 'leaves'), { recursive: true });
    for (const [part, records] of parts) {
      const path = this.#pathOf(part);
      await removeCutRecord(path);
      await appendFile(path, Buffer.concat(records)).catch((error: unknown) => {
        throw new FileError(path, error);
      });
    }
  }

  /** Those that no leaf has. */
  async findMissing<T extends IndexedRegistration>(registrations: readonly T[]): Promise<T[]> {
    await this.flush();
    const missing: T[] = [];
    const parts = group(registrations, ({ fingerprint }) => Number.parseInt(fingerprint.slice(2, 4), 16));
    for (const [part, wanted] of parts) {
      const known = await this.#readPart(part);
      const isKnown = ({ fingerprint, metadata }: T) => {
        const hashes = known.get(fingerprint.slice(2));
        return hashes !== undefined && (metadata === undefined || hashes.includes(metadata.slice(2, 18)));
      };
      missing.push(...wanted.filter((one) => !isKnown(one)));
    }
    return missing;
  }

  async #readPart(part: number): Promise<Map<string, string[]>> {
    const bytes = Buffer.from((await readIfThere(this.#pathOf(part), 'latin1')) ?? '', 'latin1');
    const known = new Map<string, string[]>();
    for (let start = 0; start + RECORD_BYTES <= bytes.length; start += RECORD_BYTES) {
      const middle = start + FINGERPRINT_BYTES;
      const fingerprint = bytes.toString('hex', start, middle);
      const hashes = known.get(fingerprint) ?? [];
      known.set(fingerprint, [...hashes, bytes.toString('hex', middle, start + RECORD_BYTES)]);
    }
    return known;
  }

  #pathOf(part: number): string {
    return join(this.folder, 'leaves', part.toString(16).padStart(2, '0'));
  }
}

/** Of a process that was killed. */
async function removeCutRecord(path: string): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      const { size } = await file.stat();
      if (size % RECORD_BYTES !== 0) await file.truncate(size - (size % RECORD_BYTES));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw new FileError(path, error);
  }
}

function group<T>(items: readonly T[], partOf: (item: T) => number): Map<number, T[]> {
  const parts = new Map<number, T[]>();
  for (const item of items) {
    const part = partOf(item);
    const members = parts.get(part);
    if (members) members.push(item);
    else parts.set(part, [item]);
  }
  return parts;
}
