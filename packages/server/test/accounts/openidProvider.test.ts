// Tokens of an OpenID provider, issued by a real provider in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';

const audience = 'https://registry.example';
const program = fileURLToPath(new URL('../support/identityProvider.mjs', import.meta.url));

let databaseUrl: string;
let service: Service;
let port: number;
let issuer: string;
let provider: ChildProcess;
let keys: JWK[];

async function createKeys(generation: string): Promise<JWK[]> {
  const signingKeys = await Promise.all(
    ['RS256', 'ES256', 'EdDSA'].map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-${generation}` };
    }),
  );
  const { alg: _, ...forPss } = signingKeys[0] as JWK;
  return [...signingKeys, { ...forPss, kid: `PS256-${generation}`, alg: 'PS256' }];
}

async function startProvider(): Promise<void> {
  provider = spawn(process.execPath, [program, String(port), JSON.stringify({ keys })], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (provider.stdout) await once(provider.stdout, 'data');
}

async function stopProvider(): Promise<void> {
  const ended = once(provider, 'exit');
  provider.kill();
  await ended;
}

/** A token that the provider issues. */
async function issueToken(algorithm: string, resource = audience): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`client-${algorithm}:secret`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'registry' }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the provider refuses: ${text}`);
  return JSON.parse(text).access_token;
}

/** A token that is signed with the provider's key, with claims that the provider would not issue. */
async function forge(claims: Record<string, unknown>, alg = 'ES256'): Promise<string> {
  const jwk = keys.find((key) => key.alg === alg) as JWK;
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: issuer, aud: audience, sub: 'forged', iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg, kid: String(jwk.kid) })
    .sign(await importJWK(jwk, alg));
}

const me = async (token: string, at = service) => {
  const { status, body } = await call(at, 'GET', '/api/v1/me', { token });
  return { status, code: body.code, user: body.user };
};

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  keys = await createKeys('first');
  await startProvider();
  service = await startService({
    DATABASE_URL: databaseUrl,
    AUTH_JWKS_URL: `${issuer}/jwks`,
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
  });
});
afterAll(() => stopProvider());

describe('a token of the provider', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s is accepted', async (algorithm) => {
    expect((await me(await issueToken(algorithm))).status).toBe(200);
  });

  it('creates a user on first use, and finds that user from then on', async () => {
    const token = await issueToken('RS256');
    const users = await Promise.all(Array.from({ length: 10 }, () => me(token)));
    expect(new Set(users.map(({ user }) => user.id)).size).toBe(1);
    expect(users[0]?.user).toMatchObject({ name: 'Provided Person', tier: 'free' });
    const rows = await query(databaseUrl, 'select subject, issuer, password_hash from users where subject = $1', [
      String(decodeJwt(token).sub),
    ]);
    expect(rows).toEqual([{ subject: 'client-RS256', issuer, password_hash: null }]);
    expect(
      (await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'creator' } })).body.user.tier,
    ).toBe('creator');
    expect((await me(await issueToken('RS256'))).user.tier).toBe('creator');
  });

  it('gives no access to an account of this service with the same address', async () => {
    const { id, email } = await signUp(service);
    const { user } = await me(await forge({ sub: 'another user', email, email_verified: true }));
    expect(user.id).not.toBe(id);
    expect(user.email).toBeNull();
  });

  it('adds no address that the provider has not verified, and no invalid name', async () => {
    const { user } = await me(
      await forge({ sub: 'unverified', email: 'x@example.com', email_verified: false, name: 'a\u0000b' }),
    );
    expect(user).toMatchObject({ email: null, name: 'Unnamed' });
  });

  it('creates an account that has no password', async () => {
    await me(await forge({ sub: 'no password', email: 'provider-only@example.com', email_verified: true }));
    const body = { email: 'provider-only@example.com', password: '' };
    expect((await call(service, 'POST', '/api/v1/auth/login', { body })).status).toBe(401);
  });
});

describe('a token is refused with 401 when it', () => {
  const cases: [string, () => Promise<string>][] = [
    ['is for another audience', () => issueToken('ES256', 'https://elsewhere.example')],
    ['comes from another issuer', () => forge({ iss: 'https://elsewhere.example' })],
    ['has no issuer', () => forge({ iss: undefined })],
    ['is signed with an algorithm that is not allowed', () => issueToken('PS256')],
    ['has expired', () => forge({ exp: Math.floor(Date.now() / 1000) - 60 })],
    ['never expires', () => forge({ exp: undefined })],
    ['has no subject', () => forge({ sub: undefined })],
    ['has a subject with a null character', () => forge({ sub: 'a\u0000b' })],
    ['is not valid yet', () => forge({ nbf: Math.floor(Date.now() / 1000) + 600 })],
    [
      'is signed with a key that the provider does not have',
      async () => {
        const { privateKey } = await generateKeyPair('ES256');
        return new SignJWT({ iss: issuer, aud: audience, sub: 'x' })
          .setExpirationTime('1h')
          .setProtectedHeader({ alg: 'ES256', kid: 'ES256-first' })
          .sign(privateKey);
      },
    ],
    [
      'is signed with HS256 and the provider’s public key',
      async () => {
        const publicKey = createPublicKey({ key: publicPart(keys[0] as JWK) as JsonWebKey, format: 'jwk' });
        const pem = publicKey.export({ type: 'spki', format: 'pem' });
        return new SignJWT({ iss: issuer, aud: audience, sub: 'x' })
          .setExpirationTime('1h')
          .setProtectedHeader({ alg: 'HS256', kid: 'RS256-first' })
          .sign(Buffer.from(pem));
      },
    ],
    [
      'has the algorithm none',
      async () => {
        const [, claims] = (await issueToken('ES256')).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
      },
    ],
  ];

  it.each(cases)('%s', async (_, make) => {
    expect(await me(await make())).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });
});

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}

describe('the provider’s keys', () => {
  it('are fetched once, not for every request, and not for every unknown key id', async () => {
    let fetches = 0;
    const [key] = await createKeys('counted');
    const publicKey = publicPart(key as JWK);
    const keyServer = createServer((_request, response) => {
      fetches += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [publicKey] }));
    }).listen(0, '127.0.0.1');
    await once(keyServer, 'listening');
    const address = keyServer.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const counted = await startService({
      DATABASE_URL: databaseUrl,
      AUTH_JWKS_URL: `http://127.0.0.1:${address.port}/`,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
    });
    const good = await new SignJWT({ iss: issuer, aud: audience, sub: 'counted' })
      .setExpirationTime('1h')
      .setProtectedHeader({ alg: 'RS256', kid: String(publicKey.kid) })
      .sign(await importJWK(key as JWK, 'RS256'));
    // Created first: ten seconds after the first fetch the service may fetch again.
    const unknownKeyTokens = await Promise.all(Array.from({ length: 20 }, (_, index) => withKeyId(`unknown-${index}`)));
    for (let round = 0; round < 20; round += 1) expect((await me(good, counted)).status).toBe(200);
    for (const token of unknownKeyTokens) expect((await me(token, counted)).status).toBe(401);
    expect(fetches).toBe(1);
    keyServer.close();
  });

  it('may be rotated: a token signed with a new key is accepted, one signed with a withdrawn key is not', async () => {
    const old = await issueToken('ES256');
    await stopProvider();
    keys = await createKeys('second');
    await startProvider();
    // A new process has no cached keys; the same process fetches them as soon as it may fetch again.
    const fresh = await startService({
      DATABASE_URL: databaseUrl,
      AUTH_JWKS_URL: `${issuer}/jwks`,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
    });
    expect((await me(await issueToken('ES256'), fresh)).status).toBe(200);
    expect((await me(old, fresh)).status).toBe(401);
    await waitUntilAccepted(await issueToken('ES256'));
    expect((await me(old)).status).toBe(401);
  });

  it('that cannot be fetched lead to 503 UNAVAILABLE, since the token cannot be checked', async () => {
    const token = await issueToken('ES256');
    const disconnected = await startService({
      DATABASE_URL: databaseUrl,
      AUTH_JWKS_URL: `http://127.0.0.1:${await freePort()}/jwks`,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
    });
    expect(await me(token, disconnected)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect((await signUp(disconnected)).response.status).toBe(201);
  });
});

async function withKeyId(kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ iss: issuer, aud: audience, sub: 'x' })
    .setExpirationTime('1h')
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey);
}

/** The service fetches new keys at most every few seconds. */
async function waitUntilAccepted(token: string): Promise<void> {
  while ((await me(token)).status !== 200);
}
