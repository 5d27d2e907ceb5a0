// Bearer tokens: those that the service issues (HS256), and those of an OpenID provider, verified with its keys.

import { createHash } from 'node:crypto';
import { cleanName, isDisplayName, isEmailAddress, isUuid, RegistryError } from '@provenance-registry/core';
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Identity, Tokens, VerifiedToken } from '../domain/ports/index.js';

const ISSUER = 'provenance-registry';
const TOKEN_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Separate algorithms for each kind of key: a public key can never be used as an HMAC secret. */
const SERVICE_ALGORITHMS = ['HS256'];
const PROVIDER_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** The provider's clock may differ slightly. */
const CLOCK_TOLERANCE_S = 5;
/** Processes and providers whose clocks differ by more are misconfigured: a token from the future is refused. */
const MAX_CLOCK_SKEW_S = 60;
/** A key that the provider withdraws stops working here after at most this time. */
const KEYS_MAX_AGE_MS = 10 * 60 * 1000;
/** Tokens with invented key ids must not cause a request to the provider each time. */
const KEYS_COOLDOWN_MS = 10_000;
const KEYS_TIMEOUT_MS = 3_000;

/** The end of the year 9999: dates after it are written differently. */
const MAX_DATE_S = 253_402_300_799;

/** Verified tokens in the cache: about as many as users who are active at once. */
const MAX_CACHED_TOKENS = 1_000;

export interface ProviderOptions {
  readonly jwksUrl: URL;
  readonly issuer: string;
  readonly audience: string;
}

export function bearerTokens(secret: string, provider: ProviderOptions | undefined): Tokens {
  const key = new TextEncoder().encode(secret);
  const verifyProviderToken = provider && createProviderVerifier(provider);

  // A signature stays valid until the token expires; whether its session is ended, the database tells.
  const cache = new Map<string, VerifiedToken>();

  async function verifyServiceToken(token: string, now: Date): Promise<VerifiedToken | undefined> {
    const cached = cache.get(token);
    if (cached && now < cached.expiresAt) return cached;
    const { payload } = await jwtVerify(token, key, {
      algorithms: SERVICE_ALGORITHMS,
      issuer: ISSUER,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: now,
    });
    const { sub, jti } = payload;
    if (!isUuid(sub) || (jti !== undefined && !isUuid(jti)) || isFromFuture(payload, now)) return undefined;
    const verified = toVerifiedToken(token, { kind: 'service', userId: sub }, payload, jti);
    addToCache(token, verified);
    return verified;
  }

  function addToCache(token: string, verified: VerifiedToken): void {
    cache.set(token, verified);
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED_TOKENS && oldest !== undefined) cache.delete(oldest);
  }

  return {
    async issue(userId, sessionId, now) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      const expiresAt = new Date(issuedAt * 1000 + TOKEN_LIFETIME_MS);
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setJti(sessionId)
        .setIssuer(ISSUER)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key);
      return { token, expiresAt };
    },

    async verify(token, now) {
      try {
        const { alg } = decodeProtectedHeader(token);
        return await (alg === 'HS256' ? verifyServiceToken(token, now) : verifyProviderToken?.(token, now));
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}

function createProviderVerifier({ jwksUrl, issuer, audience }: ProviderOptions) {
  const remoteKeys = createRemoteJWKSet(jwksUrl, {
    cacheMaxAge: KEYS_MAX_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
  });

  /** An unknown key makes the token invalid; an unavailable provider does not. */
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remoteKeys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new RegistryError('UNAVAILABLE', 'The identity provider cannot be reached right now.', { cause: error });
    }
  };

  return async (token: string, now: Date): Promise<VerifiedToken | undefined> => {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: PROVIDER_ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: now,
    });
    const identity = isFromFuture(payload, now) ? undefined : toProviderIdentity(issuer, payload);
    return identity && toVerifiedToken(token, identity, payload);
  };
}

function isFromFuture({ iat = 0 }: JWTPayload, now: Date): boolean {
  return iat > now.getTime() / 1000 + MAX_CLOCK_SKEW_S;
}

function toVerifiedToken(
  token: string,
  identity: Identity,
  { iat = 0, exp = 0 }: JWTPayload,
  jti?: string,
): VerifiedToken {
  return {
    identity,
    sessionId: jti?.toLowerCase() ?? sessionIdOf(token),
    namesSession: jti !== undefined,
    issuedAt: toDate(iat),
    expiresAt: toDate(exp),
  };
}

/**
 * A UUID (version 8) made from what is signed. The signature is left out: the same token can be written with different
 * ones, by unused bits of its last character or because ECDSA allows it.
 */
function sessionIdOf(token: string): string {
  const hash = createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

function toDate(seconds: number): Date {
  return new Date(Math.min(Math.max(seconds, 0), MAX_DATE_S) * 1000);
}

/** A provider's claims are untrusted input: what is not well-formed is ignored. */
const Subject = Type.String({ minLength: 1, maxLength: 255, pattern: '^\\P{C}+$' });

function toProviderIdentity(issuer: string, { sub, email, email_verified, name }: JWTPayload): Identity | undefined {
  if (!Value.Check(Subject, sub)) return undefined;
  return {
    kind: 'provider',
    issuer,
    subject: sub,
    // An unverified address may belong to another person.
    email: email_verified === true && typeof email === 'string' && isEmailAddress(email) ? email : null,
    name: typeof name === 'string' ? toPublicName(name) : null,
  };
}

/** Cleaned, not refused: the user cannot change it there. */
function toPublicName(name: string): string | null {
  const cleaned = cleanName(name);
  return isDisplayName(cleaned) ? cleaned : null;
}
