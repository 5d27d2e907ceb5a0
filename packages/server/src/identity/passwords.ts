// Password hashing with Node's scrypt. A hash is `scrypt$N$r$p$salt$key`; hashes of earlier versions lack the parameters.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '../domain/ports/index.js';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** One of the equally strong settings that OWASP recommends: 32 MiB and a few tenths of a second each. */
const CURRENT_COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
/** Cost of hashes without parameters. */
const FIRST_COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
/** The most memory to verify a stored hash: several times the current cost. More comes from a damaged or manipulated row. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const MAX_PARALLELIZATION = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;

export interface PasswordOptions {
  /** Replaced by tests. */
  readonly cost?: Cost;
  readonly derive?: (password: string, salt: Buffer, cost: Cost) => Promise<Buffer>;
}

interface StoredHash {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

export function scryptPasswords({ cost = CURRENT_COST, derive = deriveKey }: PasswordOptions = {}): Passwords {
  const prefix = `scrypt$${cost.N}$${cost.r}$${cost.p}$`;
  // Compared with for unknown addresses, so that they take as long as known ones.
  const decoy: StoredHash = { cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(password, salt, cost);
      return `${prefix}${salt.toString('base64')}$${key.toString('base64')}`;
    },
    async verify(password, hash) {
      const stored = hash === undefined ? undefined : parseHash(hash);
      const expected = stored ?? decoy;
      const actual = await derive(password, expected.salt, expected.cost);
      return timingSafeEqual(actual, expected.key) && stored !== undefined;
    },
    isOutdated: (hash) => !hash.startsWith(prefix),
  };
}

/** Undefined when it is no hash, or when computing it would take too much memory or time. */
function parseHash(hash: string): StoredHash | undefined {
  const match = /^scrypt\$(?:(\d{1,9})\$(\d{1,3})\$(\d{1,3})\$)?([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/.exec(hash);
  const [, N, r, p, salt, key] = match ?? [];
  if (salt === undefined || key === undefined) return undefined;
  const cost = N === undefined ? FIRST_COST : { N: Number(N), r: Number(r), p: Number(p) };
  const stored = { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') };
  return isReasonable(cost) && stored.key.length === KEY_BYTES ? stored : undefined;
}

function isReasonable({ N, r, p }: Cost): boolean {
  const isPowerOfTwo = N > 1 && Number.isInteger(Math.log2(N));
  return isPowerOfTwo && r > 0 && p > 0 && 128 * N * r <= MAX_MEMORY_BYTES && p <= MAX_PARALLELIZATION;
}

function deriveKey(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  // scrypt needs slightly more than 128·N·r bytes.
  const maxmem = 2 * 128 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    // Keyboards differ in the Unicode form of the same characters.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
