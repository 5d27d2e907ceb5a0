// Password hashing with Node's scrypt.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { limitConcurrency, RegistryError } from '@provenance-registry/core';
import type { Passwords } from '../domain/ports/index.js';

/** One of the equally strong settings that OWASP recommends: 32 MiB and a few tenths of a second each. */
const SCRYPT_COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** scrypt needs slightly more than 128·N·r bytes. */
const MAX_MEMORY_BYTES = 2 * 128 * SCRYPT_COST.N * SCRYPT_COST.r;

/** Leaves some of Node's background threads to file and DNS operations while many users log in. */
const MAX_CONCURRENT = 2;
/** About ten seconds of work; further requests are refused. */
const MAX_WAITING = 50;

export interface PasswordOptions {
  /** Replaced by tests. */
  readonly derive?: (password: string, salt: Buffer) => Promise<Buffer>;
}

export function scryptPasswords({ derive = deriveKey }: PasswordOptions = {}): Passwords {
  const runLimited = limitConcurrency(
    MAX_CONCURRENT,
    MAX_WAITING,
    () => new RegistryError('UNAVAILABLE', 'Too many log-ins at the moment. Try again shortly.'),
  );
  const deriveLimited = (password: string, salt: Buffer) => runLimited(() => derive(password, salt));
  // Compared with for unknown addresses, so that they take as long as known ones.
  const decoySalt = randomBytes(SALT_BYTES);
  const decoyKey = randomBytes(KEY_BYTES);
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await deriveLimited(password, salt);
      return `scrypt$${salt.toString('base64')}$${key.toString('base64')}`;
    },
    async verify(password, hash) {
      const [, salt, key] = hash?.split('$') ?? [];
      const expected = key ? Buffer.from(key, 'base64') : decoyKey;
      const actual = await deriveLimited(password, salt ? Buffer.from(salt, 'base64') : decoySalt);
      return timingSafeEqual(actual, expected) && hash !== undefined;
    },
  };
}

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Keyboards differ in the Unicode form of the same characters.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...SCRYPT_COST, maxmem: MAX_MEMORY_BYTES }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
