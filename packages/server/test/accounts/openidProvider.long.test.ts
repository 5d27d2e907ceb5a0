// Tokens of an OpenID provider, issued by a real provider in a process of its own. Forged ones: security/tokens.test.ts.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { decodeJwt, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusAndCode } from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';
import { AUDIENCE, createKeys, publicPart, startProvider, type TestProvider } from '../support/openidProvider.js';

let databaseUrl: string;
let service: Service;
let provider: TestProvider;

const me = async (token: string, at = service) => {
  const { status, body } = await call(at, 'GET', '/api/v1/me', { token });
  return { status, code: body.code, user: body.user };
};

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  provider = await startProvider();
  service = await startService({ ...provider.settings, ...(await withoutChain()), DATABASE_URL: databaseUrl });
});
afterAll(() => provider.stop());

describe('a token of the provider', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s is accepted', async (algorithm) => {
    expect((await me(await provider.issue(algorithm))).status).toBe(200);
  });

  it('creates a user on first use, and finds that user from then on', async () => {
    const token = await provider.issue('RS256');
    const users = await Promise.all(Array.from({ length: 10 }, () => me(token)));
    expect(new Set(users.map(({ user }) => user.id)).size).toBe(1);
    expect(users[0]?.user).toMatchObject({ name: 'Provided Person', tier: 'free' });
    const rows = await query(databaseUrl, 'select subject, issuer, password_hash from users where subject = $1', [
      String(decodeJwt(token).sub),
    ]);
    expect(rows).toEqual([{ subject: 'client-RS256', issuer: provider.issuer, password_hash: null }]);
    expect(
      (await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'creator' } })).body.user.tier,
    ).toBe('creator');
    expect((await me(await provider.issue('RS256'))).user.tier).toBe('creator');
  });

  it('can be logged out, for good and however its signature is written; the provider’s next token is accepted', async () => {
    const [token, another] = [await provider.sign({ sub: 'leaving' }), await provider.sign({ sub: 'leaving', n: 2 })];
    const { user } = await me(token);
    const sessions = await call(service, 'GET', '/api/v1/me/sessions', { token });
    expect(sessions.body).toMatchObject([{ current: true, userAgent: expect.stringContaining('node') }]);
    expect((await call(service, 'POST', '/api/v1/auth/logout', { token })).status).toBe(204);
    const [head, claims] = token.split('.');
    const signedAgain = (await provider.sign(decodeJwt(token))).split('.');
    expect(signedAgain.slice(0, 2)).toEqual([head, claims]);
    for (const ended of [token, signedAgain.join('.'), token]) expect((await me(ended)).status).toBe(401);
    expect(await me(another)).toMatchObject({ status: 200, user: { id: user.id } });
    // Another token of this user that was not used here yet.
    const unused = await provider.sign({ sub: 'leaving', n: 3, iat: Math.floor(Date.now() / 1000) - 60 });
    expect((await call(service, 'DELETE', '/api/v1/me/sessions', { token: another })).status).toBe(204);
    expect([(await me(another)).status, (await me(unused)).status]).toEqual([401, 401]);
    const next = await provider.sign({ sub: 'leaving', iat: Math.floor(Date.now() / 1000) + 2 });
    expect(await me(next)).toMatchObject({ status: 200, user: { id: user.id } });
    const accounts = await query(databaseUrl, 'select id from users where subject = $1', ['leaving']);
    expect(accounts).toEqual([{ id: user.id }]);
  });

  it('gives no access to an account of this service with the same address', async () => {
    const { id, email } = await signUp(service);
    const { user } = await me(await provider.sign({ sub: 'another user', email, email_verified: true }));
    expect(user.id).not.toBe(id);
    expect(user.email).toBeNull();
  });

  it('cleans a name that may not be shown here', async () => {
    const name = '✅ Grace\u200B Hopper (verified)';
    const { user } = await me(await provider.sign({ sub: 'deceptive', name }));
    expect(user.name).toBe('Grace Hopper');
  });

  it('adds no address that the provider has not verified, and no invalid name', async () => {
    const { user } = await me(
      await provider.sign({ sub: 'unverified', email: 'x@example.com', email_verified: false, name: 'a\u0000b' }),
    );
    expect(user).toMatchObject({ email: null, name: 'Unnamed' });
  });

  it('creates an account that has no password', async () => {
    await me(await provider.sign({ sub: 'no password', email: 'provider-only@example.com', email_verified: true }));
    const body = { email: 'provider-only@example.com', password: '' };
    expect((await call(service, 'POST', '/api/v1/auth/login', { body })).status).toBe(401);
  });
});

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
      ...provider.settings,
      ...(await withoutChain()),
      DATABASE_URL: databaseUrl,
      AUTH_JWKS_URL: `http://127.0.0.1:${address.port}/`,
    });
    const good = await new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'counted' })
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
    const old = await provider.issue('ES256');
    await provider.stop();
    provider = await startProvider({ generation: 'second', port: Number(new URL(provider.issuer).port) });
    // A new process has no cached keys; the same process fetches them as soon as it may fetch again.
    const fresh = await startService({ ...provider.settings, ...(await withoutChain()), DATABASE_URL: databaseUrl });
    expect((await me(await provider.issue('ES256'), fresh)).status).toBe(200);
    expect((await me(old, fresh)).status).toBe(401);
    await waitUntilAccepted(await provider.issue('ES256'));
    expect((await me(old)).status).toBe(401);
  });

  it('that cannot be fetched lead to 503 UNAVAILABLE, since the token cannot be checked', async () => {
    const token = await provider.issue('ES256');
    const disconnected = await startService({
      ...provider.settings,
      ...(await withoutChain()),
      DATABASE_URL: databaseUrl,
      AUTH_JWKS_URL: `http://127.0.0.1:${await freePort()}/jwks`,
    });
    expect(await me(token, disconnected)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect((await signUp(disconnected)).response.status).toBe(201);
  });
});

async function withKeyId(kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'x' })
    .setExpirationTime('1h')
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey);
}

/** The service fetches new keys at most every few seconds. */
async function waitUntilAccepted(token: string): Promise<void> {
  while ((await me(token)).status !== 200);
}

describe('the account of a user of the provider', () => {
  it('has no password here: endpoints that need one respond with 409 CONFLICT', async () => {
    const token = await provider.sign({ sub: 'without password' });
    const password = 'correct horse battery';
    const responses = [
      await call(service, 'PUT', '/api/v1/me/password', {
        token,
        body: { currentPassword: password, newPassword: 'staple battery horse' },
      }),
      await call(service, 'POST', '/api/v1/me/totp', { token, body: { password } }),
      await call(service, 'DELETE', '/api/v1/me/totp', { token, body: { password } }),
    ];
    expect(responses.map(statusAndCode)).toEqual(responses.map(() => [409, 'CONFLICT']));
  });

  it('is closed with a token that is younger than ten minutes', async () => {
    const now = Math.floor(Date.now() / 1000);
    const closeWith = (token: string) => call(service, 'DELETE', '/api/v1/me', { token, body: {} });
    const old = await provider.sign({ sub: 'closing', iat: now - 601 });
    const { status, user } = await me(old);
    expect(status).toBe(200);
    expect(statusAndCode(await closeWith(old))).toEqual([401, 'UNAUTHORIZED']);
    const token = await provider.sign({ sub: 'closing', iat: now - 30 });
    expect((await closeWith(token)).status).toBe(204);
    expect([(await me(old)).status, (await me(token)).status]).toEqual([401, 401]);
    const [row] = await query(databaseUrl, 'select name, issuer, subject from users where id = $1', [user.id]);
    expect(row).toEqual({ name: 'Closed account', issuer: null, subject: null });

    // Logging in at the provider again is a new account.
    const again = await me(await provider.sign({ sub: 'closing' }));
    expect(again.status).toBe(200);
    expect(again.user.id).not.toBe(user.id);
  });
});
