// What a witness keeps: its key, and the last checkpoint of each log that it has signed. A checkpoint is on disk before its
// signature leaves the process, so that a witness that is killed at any moment signs no other tree of that size.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createVerifierKey,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  type TreeHead,
} from '@provenance-registry/log';
import { CommandError } from '../errors.js';
import { readIfThere, replaceFile } from './durableFiles.js';

const KEY_FILE = 'witness-key.pem';

export interface WitnessState {
  readonly signer: NoteSigner;
  readonly read: (origin: string) => TreeHead | undefined;
  /** Durable when it resolves. */
  readonly write: (origin: string, note: string) => Promise<void>;
}

/** Makes the key on the first start. Throws if the folder has the checkpoints of a key that is gone. */
export async function openWitnessState(
  folder: string,
  name: string,
  origins: readonly string[],
): Promise<WitnessState> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (origin: string) => join(folder, `${createHash('sha256').update(origin).digest('hex')}.checkpoint`);
  const heads = new Map<string, TreeHead>();
  for (const origin of origins) {
    const note = await readIfThere(pathOf(origin));
    if (note !== undefined) heads.set(origin, readHead(note, origin, pathOf(origin)));
  }
  const key = createPrivateKey(await readOrCreateKey(folder, heads.size > 0));
  const publicKey = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    signer: { key: createVerifierKey(name, 'cosignature', publicKey), sign: (message) => sign(null, message, key) },
    read: (origin) => heads.get(origin),
    async write(origin, note) {
      await replaceFile(pathOf(origin), note);
      heads.set(origin, readHead(note, origin, pathOf(origin)));
    },
  };
}

function readHead(note: string, origin: string, path: string): TreeHead {
  try {
    const checkpoint = parseCheckpoint(parseNote(note).text);
    if (checkpoint.origin === origin) return checkpoint;
  } catch {
    // Said below.
  }
  throw new CommandError(
    'INVALID_FILE',
    3,
    `${path} is not the last checkpoint of ${origin}. Nothing is signed without it.`,
  );
}

async function readOrCreateKey(folder: string, isKnown: boolean): Promise<string> {
  const path = join(folder, KEY_FILE);
  const existing = await readIfThere(path);
  if (existing !== undefined) return existing;
  if (isKnown) throw new CommandError('INVALID_FILE', 3, `${path} is missing, and the folder has what it signed.`);
  const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await replaceFile(path, pem);
  return pem;
}
