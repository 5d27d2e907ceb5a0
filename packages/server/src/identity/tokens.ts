// Bearer tokens: the service's own (HS256), and those of an OpenID provider, checked with the provider's keys.

import { DisplayName, EmailAddress, isUuid, RegistryError } from '@provenance-registry/core';
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
import type { Identity, Tokens } from '../domain/ports/index.js';

const ISSUER = 'provenance-registry';
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Each kind of key goes with its own algorithms: a public key can then never serve as an HMAC secret. */
const OWN_ALGORITHMS = ['HS256'];
const PROVIDER_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** A provider's clock may differ a little from ours. */
const CLOCK_TOLERANCE_S = 5;
/** A key that the provider withdraws stops working here after at most this. */
const KEYS_MAX_AGE_MS = 10 * 60 * 1000;
/** Tokens with made-up key ids must not make us ask the provider each time. */
const KEYS_COOLDOWN_MS = 10_000;
const KEYS_TIMEOUT_MS = 3_000;

/** Tokens of ours that were found good a moment ago: as many as there are people at work at once. */
const MAX_REMEMBERED = 1_000;

export interface ProviderOptions {
  readonly jwksUrl: URL;
  readonly issuer: string;
  readonly audience: string;
}

export function bearerTokens(secret: string, provider: ProviderOptions | undefined): Tokens {
  const key = new TextEncoder().encode(secret);
  const verifyProviderToken = provider && providerVerifier(provider);

  // Our own tokens cannot be withdrawn: once found good, one is good until it expires.
  const remembered = new Map<string, { readonly identity: Identity; readonly expiresAt: number }>();

  async function verifyOwnToken(token: string, now: Date): Promise<Identity | undefined> {
    const known = remembered.get(token);
    if (known && now.getTime() < known.expiresAt) return known.identity;
    const { payload } = await jwtVerify(token, key, {
      algorithms: OWN_ALGORITHMS,
      issuer: ISSUER,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: now,
    });
    if (!isUuid(payload.sub) || payload.exp === undefined) return undefined;
    const identity: Identity = { kind: 'service', userId: payload.sub };
    remember(token, { identity, expiresAt: payload.exp * 1000 });
    return identity;
  }

  function remember(token: string, good: { identity: Identity; expiresAt: number }): void {
    remembered.set(token, good);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  return {
    async issue(userId, now) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      const expiresAt = new Date(issuedAt * 1000 + LIFETIME_MS);
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setIssuer(ISSUER)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key);
      return { token, expiresAt };
    },

    async verify(token, now) {
      try {
        const { alg } = decodeProtectedHeader(token);
        return await (alg === 'HS256' ? verifyOwnToken(token, now) : verifyProviderToken?.(token, now));
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}

function providerVerifier({ jwksUrl, issuer, audience }: ProviderOptions) {
  const remoteKeys = createRemoteJWKSet(jwksUrl, {
    cacheMaxAge: KEYS_MAX_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
  });

  /** A key that is not there makes the token invalid; a provider that is not there says nothing about it. */
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remoteKeys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new RegistryError('UNAVAILABLE', 'The identity provider cannot be reached right now.', { cause: error });
    }
  };

  return async (token: string, now: Date): Promise<Identity | undefined> => {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: PROVIDER_ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: now,
    });
    return providerIdentity(issuer, payload);
  };
}

/** What a provider says of its user is text from outside like any other: what we could not store is left out. */
const Claims = {
  subject: Type.String({ minLength: 1, maxLength: 255, pattern: '^\\P{C}+$' }),
  name: DisplayName("The user's name."),
};

function providerIdentity(issuer: string, { sub, email, email_verified, name }: JWTPayload): Identity | undefined {
  if (!Value.Check(Claims.subject, sub)) return undefined;
  return {
    kind: 'provider',
    issuer,
    subject: sub,
    // An address that the provider has not checked could be anybody's.
    email: email_verified === true && Value.Check(EmailAddress, email) ? email : null,
    name: Value.Check(Claims.name, name) ? name : null,
  };
}
