// Password hashing with scrypt, which Node brings with it.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { limitConcurrency, RegistryError } from '@provenance-registry/core';
import type { Passwords } from '../domain/ports/index.js';

/** One of the settings that OWASP holds for equal in strength: 32 MiB and a few tenths of a second each. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** scrypt needs 128·N·r bytes, and a little more. */
const MAX_MEMORY = 2 * 128 * COST.N * COST.r;

/** Two of Node's four background threads: file and name look-ups go on during a storm of log-ins. */
const AT_ONCE = 2;
/** Some ten seconds of work: who would have to wait longer is told to come back. */
const MAX_WAITING = 50;

export interface PasswordOptions {
  /** Derives a key; the parameter lets a test count. */
  readonly derive?: (password: string, salt: Buffer) => Promise<Buffer>;
}

export function scryptPasswords({ derive = deriveKey }: PasswordOptions = {}): Passwords {
  const turns = limitConcurrency(
    AT_ONCE,
    MAX_WAITING,
    () => new RegistryError('UNAVAILABLE', 'Too many people are logging in at this moment.'),
  );
  const limited = (password: string, salt: Buffer) => turns(() => derive(password, salt));
  // What an unknown address is compared with, so that it costs what a known one does.
  const decoySalt = randomBytes(SALT_BYTES);
  const decoyKey = randomBytes(KEY_BYTES);
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await limited(password, salt);
      return `scrypt$${salt.toString('base64')}$${key.toString('base64')}`;
    },
    async verify(password, hash) {
      const [, salt, key] = hash?.split('$') ?? [];
      const expected = key ? Buffer.from(key, 'base64') : decoyKey;
      const actual = await limited(password, salt ? Buffer.from(salt, 'base64') : decoySalt);
      return timingSafeEqual(actual, expected) && hash !== undefined;
    },
  };
}

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Normalised: the same password typed on another keyboard may arrive in another form.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
