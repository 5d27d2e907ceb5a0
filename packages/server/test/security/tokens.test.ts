// Forged bearer tokens: of the service itself (HS256), and of an OpenID provider. Each is refused with 401.

import { createHmac, createPrivateKey, createPublicKey, type JsonWebKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';
import { bearerTokens } from '../../src/identity/tokens.js';
import { AUDIENCE, startProvider, type TestProvider } from '../support/openidProvider.js';

const JWT_SECRET = 'the secret of the tokens of this test';
const ISSUER = 'provenance-registry';
const now = Math.floor(Date.now() / 1000);
const HOUR = 3_600;

let provider: TestProvider;
let service: Service;
let withoutProvider: Service;
let user: { id: string; token: string };
let stranger: { token: string };
/** The attacker's server, whose address is in forged headers. It must never be asked. */
let attacker: Server;
let attackerUrl: string;
let attackerRequests = 0;

beforeAll(async () => {
  attacker = createServer((_request, response) => {
    attackerRequests += 1;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  await once(attacker, 'listening');
  const address = attacker.address();
  attackerUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/keys`;
  provider = await startProvider();
  const DATABASE_URL = await createMigratedDatabase();
  const chain = await withoutChain();
  service = await startService({ ...provider.settings, ...chain, DATABASE_URL, JWT_SECRET });
  withoutProvider = await startService({ ...chain, DATABASE_URL, JWT_SECRET });
  user = await signUp(service);
  stranger = await signUp(service);
});
afterAll(async () => {
  attacker.close();
  await provider.stop();
});

async function me(token: string, at = service) {
  const { status, body, headers } = await call(at, 'GET', '/api/v1/me', { token });
  return { status, code: body.code, challenge: headers.get('www-authenticate'), id: body.user?.id };
}
const refused = { status: 401, code: 'UNAUTHORIZED', challenge: 'Bearer', id: undefined };

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const goodClaims = () => ({ sub: user.id, iss: ISSUER, iat: now, exp: now + HOUR });
const parts = () => {
  const [header = '', claims = '', signature = ''] = user.token.split('.');
  return { header, claims, signature };
};
/** With any header, also those that a library refuses to write. */
const hmac = (header: unknown, claims: unknown, secret: string | Buffer = JWT_SECRET, hash = 'sha256') => {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
};
const hs256 = { alg: 'HS256', typ: 'JWT' };
const signedWith = (claims: JWTPayload) => hmac(hs256, { ...goodClaims(), ...claims });
const providerPublicKey = (format: 'pem' | 'der') => {
  const { kty, n, e } = provider.keys.find(({ alg }) => alg === 'RS256') ?? {};
  const key = createPublicKey({ key: { kty: String(kty), n: String(n), e: String(e) }, format: 'jwk' });
  return format === 'pem' ? key.export({ type: 'spki', format: 'pem' }) : key.export({ type: 'spki', format: 'der' });
};

describe('a token of the service is refused when it', () => {
  it('is not (the control: the same token, correctly signed, is accepted)', async () => {
    expect(await me(hmac(hs256, goodClaims()))).toMatchObject({ status: 200, id: user.id });
    expect(await me(user.token, withoutProvider)).toMatchObject({ status: 200, id: user.id });
  });

  it.each<[string, () => string]>([
    ['has the algorithm none', () => `${encode({ alg: 'none' })}.${encode(goodClaims())}.`],
    ['has the algorithm None', () => `${encode({ alg: 'None' })}.${encode(goodClaims())}.`],
    [
      'has the algorithm none and a signature',
      () => `${encode({ alg: 'none' })}.${parts().claims}.${parts().signature}`,
    ],
    ['has the algorithm none in full-width letters', () => `${encode({ alg: 'ｎｏｎｅ' })}.${parts().claims}.`],
    ['has an algorithm with a null character', () => `${encode('{"alg":"none\\u0000"}')}.${parts().claims}.`],
    ['has an algorithm with a Cyrillic letter', () => hmac({ alg: 'H\u0405256' }, goodClaims())],
    ['has its algorithm in lower case', () => hmac({ alg: 'hs256' }, goodClaims())],
    ['has a list of algorithms', () => hmac({ alg: ['HS256'] }, goodClaims())],
    ['has no algorithm', () => hmac({ typ: 'JWT' }, goodClaims())],
    ['has two algorithms', () => hmac('{"alg":"HS256","alg":"none"}', goodClaims())],
    ['is signed with HS384 and the secret', () => hmac({ alg: 'HS384' }, goodClaims(), JWT_SECRET, 'sha384')],
    ['is signed with HS512 and the secret', () => hmac({ alg: 'HS512' }, goodClaims(), JWT_SECRET, 'sha512')],
    ['says RS256 and is signed with the secret', () => hmac({ alg: 'RS256', kid: 'RS256-first' }, goodClaims())],
    ['has no signature', () => `${parts().header}.${parts().claims}.`],
    ['has two parts', () => `${parts().header}.${parts().claims}`],
    [
      'has other claims',
      () => `${parts().header}.${encode({ ...goodClaims(), sub: randomUUID() })}.${parts().signature}`,
    ],
    [
      'has a later expiry',
      () => `${parts().header}.${encode({ ...goodClaims(), exp: now + 2e9 })}.${parts().signature}`,
    ],
    [
      'starts its claims with a byte order mark',
      () => `${parts().header}.${encode(`\ufeff${JSON.stringify(goodClaims())}`)}.${parts().signature}`,
    ],
    ['is signed with another secret', () => hmac(hs256, goodClaims(), 'another secret of 32 characters!!')],
    ['is signed with an empty secret', () => hmac(hs256, goodClaims(), '')],
    ['is signed with the secret and a null byte', () => hmac(hs256, goodClaims(), `${JWT_SECRET}\0a`)],
    ['is signed with the provider’s public key (PEM)', () => hmac(hs256, goodClaims(), providerPublicKey('pem'))],
    ['is signed with the provider’s public key (DER)', () => hmac(hs256, goodClaims(), providerPublicKey('der'))],
    [
      'brings its own key (jwk)',
      () => hmac({ ...hs256, jwk: { kty: 'oct', k: encode('mine') } }, goodClaims(), 'mine'),
    ],
    ['names a file as its key (kid)', () => hmac({ ...hs256, kid: '../../../../dev/null' }, goodClaims(), '')],
    ['has expired', () => signedWith({ exp: now - 1 })],
    ['never expires', () => hmac(hs256, { ...goodClaims(), exp: undefined })],
    ['expires at a text', () => hmac(hs256, { ...goodClaims(), exp: String(now + HOUR) })],
    ['is not valid yet', () => signedWith({ nbf: now + HOUR })],
    ['was issued in the future', () => signedWith({ iat: now + HOUR, exp: now + 2 * HOUR })],
    ['has no time of issue', () => hmac(hs256, { ...goodClaims(), iat: undefined })],
    ['has no subject', () => hmac(hs256, { ...goodClaims(), sub: undefined })],
    ['has a subject that is no id', () => signedWith({ sub: 'ada' })],
    ['is for a user that does not exist', () => signedWith({ sub: randomUUID() })],
    ['names a session that does not exist', () => signedWith({ jti: randomUUID() })],
    ['names a session that is no id', () => signedWith({ jti: 'mine' })],
    ['names the session of another user', () => signedWith({ jti: String(decodeJwt(stranger.token).jti) })],
    ['has another issuer', () => signedWith({ iss: 'another issuer' })],
    ['has the issuer and audience of the provider', () => signedWith({ iss: provider.issuer, aud: AUDIENCE })],
    ['has no issuer', () => hmac(hs256, { ...goodClaims(), iss: undefined })],
    ['has an unknown critical header', () => hmac({ ...hs256, crit: ['x'], x: 1 }, goodClaims())],
    ['has an unencoded payload (b64)', () => hmac({ ...hs256, crit: ['b64'], b64: false }, goodClaims())],
    ['has claims that are a list', () => hmac(hs256, [goodClaims()])],
    ['has claims that are no JSON', () => hmac(hs256, 'sub=ada')],
    ['is a JWE', () => `${encode({ alg: 'dir', enc: 'A256GCM' })}..${encode('iv')}.${encode('text')}.${encode('tag')}`],
    ['is an API key that does not exist', () => `svc_${'0'.repeat(22)}`],
    ['is dots', () => '...'],
    ['is a thousand dots', () => '.'.repeat(1_000)],
    ['is 15,000 characters long', () => `${parts().header}.${'A'.repeat(14_500)}.${parts().signature}`],
    ['has a header nested 1,000 deep', () => `${encode(`{"alg":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)}.e30.`],
  ])('%s', async (_, forge) => {
    expect(await me(forge())).toEqual(refused);
  });

  it('is of a provider, and none is set', async () => {
    expect(await me(await provider.issue('RS256'), withoutProvider)).toEqual(refused);
  });
});

it('a token is accepted when its time of issue is up to 60 seconds ahead, for clocks that differ, not one more', async () => {
  const tokens = bearerTokens(JWT_SECRET, {
    jwksUrl: new URL(provider.settings['AUTH_JWKS_URL'] ?? ''),
    issuer: provider.issuer,
    audience: AUDIENCE,
  });
  const clock = new Date(now * 1000);
  const isAccepted = async (iat: number) => {
    const issued = [signedWith({ iat }), await provider.sign({ iat })];
    return Promise.all(issued.map(async (token) => (await tokens.verify(token, clock)) !== undefined));
  };
  for (const ahead of [0, 59, 60]) expect([ahead, await isAccepted(now + ahead)]).toEqual([ahead, [true, true]]);
  for (const ahead of [60.5, 61, 120, 1e300]) {
    expect([ahead, await isAccepted(now + ahead)]).toEqual([ahead, [false, false]]);
  }
});

describe('a token of the provider', () => {
  /** Signed with the attacker's key. */
  const attackersToken = async (header: Record<string, unknown>, withKey = false) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    return new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'x', iat: now, exp: now + HOUR })
      .setProtectedHeader({
        alg: 'ES256',
        kid: 'ES256-first',
        ...header,
        ...(withKey && { jwk: await exportJWK(publicKey) }),
      })
      .sign(privateKey);
  };
  /** Signed with the provider's key, with a header that libraries refuse to write. */
  const signedByHand = (header: Record<string, unknown>) => {
    const { kty, crv, x, y, d } = provider.keys.find(({ alg }) => alg === 'ES256') ?? {};
    const key = createPrivateKey({ key: { kty, crv, x, y, d } as JsonWebKey, format: 'jwk' });
    const claims = { iss: provider.issuer, aud: AUDIENCE, sub: 'by hand', exp: now + HOUR };
    const text = `${encode({ alg: 'ES256', kid: 'ES256-first', ...header })}.${encode(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };

  it('that is written by hand is accepted (the control)', async () => {
    expect((await me(signedByHand({}))).status).toBe(200);
  });

  it.each<[string, () => Promise<string>]>([
    ['is for another audience', () => provider.issue('ES256', 'https://elsewhere.example')],
    ['is for several other audiences', () => provider.sign({ aud: ['https://a.example', `${AUDIENCE}/`] })],
    ['has no audience', () => provider.sign({ aud: undefined })],
    ['comes from another issuer', () => provider.sign({ iss: 'https://elsewhere.example' })],
    ['has the issuer with a slash', () => provider.sign({ iss: `${provider.issuer}/` })],
    ['has a list of issuers', () => provider.sign({ iss: [provider.issuer] })],
    ['has no issuer', () => provider.sign({ iss: undefined })],
    ['claims to be of the service', () => provider.sign({ iss: ISSUER, sub: user.id })],
    ['is signed with an algorithm that is not allowed', () => provider.issue('PS256')],
    ['has expired', () => provider.sign({ exp: now - 60 })],
    ['never expires', () => provider.sign({ exp: undefined })],
    ['is not valid yet', () => provider.sign({ nbf: now + 600 })],
    ['was issued in the future', () => provider.sign({ iat: now + HOUR, exp: now + 2 * HOUR })],
    ['has no subject', () => provider.sign({ sub: undefined })],
    ['has a subject with a null character', () => provider.sign({ sub: 'a\u0000b' })],
    ['has a subject that reverses text', () => provider.sign({ sub: 'a\u202eb' })],
    ['has an unknown critical header', async () => signedByHand({ crit: ['x'], x: 1 })],
    ['has a critical header that is missing', async () => signedByHand({ crit: ['x'] })],
    ['is signed with another key under a known key id', () => attackersToken({})],
    ['has an unknown key id', () => attackersToken({ kid: 'unknown' })],
    ['has the key id of another algorithm', () => attackersToken({ kid: 'RS256-first' })],
    ['brings its own key (jwk)', () => attackersToken({}, true)],
    ['says where its key is (jku)', () => attackersToken({ jku: attackerUrl })],
    ['says where its key is (jku), with an unknown id', () => attackersToken({ jku: attackerUrl, kid: 'mine' })],
    ['says where its certificate is (x5u)', () => attackersToken({ x5u: attackerUrl })],
    ['brings a certificate (x5c)', () => attackersToken({ x5c: ['MIIB'] })],
    ['has an unusual key id', () => attackersToken({ kid: '__proto__' })],
    [
      'was changed',
      async () => {
        const [header, , signature] = (await provider.issue('ES256')).split('.');
        return `${header}.${encode({ iss: provider.issuer, aud: AUDIENCE, sub: 'x', exp: now + HOUR })}.${signature}`;
      },
    ],
    [
      'has a signature of zeros',
      async () => {
        const [header, claims] = (await provider.issue('ES256')).split('.');
        return `${header}.${claims}.${Buffer.alloc(64).toString('base64url')}`;
      },
    ],
    [
      'has the algorithm none',
      async () => `${encode({ alg: 'none' })}.${(await provider.issue('ES256')).split('.')[1]}.`,
    ],
    [
      'is signed with HS256 and the provider’s public key',
      async () => {
        const claims = { iss: provider.issuer, aud: AUDIENCE, sub: 'x', iat: now, exp: now + HOUR };
        return hmac({ alg: 'HS256', kid: 'RS256-first' }, claims, providerPublicKey('pem'));
      },
    ],
  ])('is refused when it %s', async (_, forge) => {
    expect(await me(await forge())).toEqual(refused);
  });

  it('is another user, when its subject is the id of an account of the service', async () => {
    const { status, id } = await me(await provider.sign({ sub: user.id }));
    expect(status).toBe(200);
    expect(id).not.toBe(user.id);
  });

  it('never makes the service ask an address that the token names', () => {
    expect(attackerRequests).toBe(0);
  });
});
