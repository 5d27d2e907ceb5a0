// Time-based one-time passwords (RFC 6238). Secrets are stored encrypted with AES-256-GCM: nonce, tag, ciphertext.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Totp } from '../domain/ports/index.js';

/** Clocks of phones differ: the codes before and after the current one are accepted too. */
const ACCEPTED_STEPS = 1;
/** The length that RFC 4226 recommends for SHA-1, the algorithm that every authenticator app supports. */
const SECRET_BYTES = 20;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret never changes: with another one, no code would be right any more */
export function createTotp(secret: string, issuer: string): Totp {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'second-factor secrets', KEY_BYTES));
  return {
    create({ id, label }) {
      const bytes = randomBytes(SECRET_BYTES);
      const totp = new TOTP({ issuer, label, secret: toSecret(bytes) });
      return { secret: totp.secret.base32, url: totp.toString(), encryptedSecret: encrypt(key, bytes, id) };
    },

    findStep({ userId, secret: encrypted }, code, now) {
      const timestamp = now.getTime();
      const totp = new TOTP({ secret: toSecret(decrypt(key, encrypted, userId)) });
      const offset = totp.validate({ token: code, timestamp, window: ACCEPTED_STEPS });
      return offset === null ? undefined : totp.counter({ timestamp }) + offset;
    },
  };
}

function toSecret(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}

/** Bound to the user, so that a secret copied to another row is of no use. */
function encrypt(key: Uint8Array, plain: Uint8Array, userId: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(userId));
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

function decrypt(key: Uint8Array, stored: Uint8Array, userId: string): Uint8Array {
  const nonce = stored.subarray(0, NONCE_BYTES);
  const tag = stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(userId)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(stored.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new Error('the second factor is encrypted with another SECOND_FACTOR_SECRET', { cause: error });
  }
}
