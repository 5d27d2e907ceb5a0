// Time-stamps as evidence: those of several authorities and programs, and forged ones of every kind.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TAG } from '@provenance-registry/c2pa';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/service.js';
import {
  type Authority,
  type AuthorityOptions,
  asRoot,
  asStamper,
  attribute,
  CONTENT_TYPE,
  criticalExtension,
  hashOf,
  MESSAGE_DIGEST,
  makeAuthority,
  makeResponse,
  makeRevocationList,
  makeToken,
  STAMPED_AT,
  type TokenOptions,
  x509,
} from '../../../../test/support/timestampForge.js';
import { der } from '../../src/asn1/der.js';
import { TimestampAuthority } from '../../src/c2pa/timestamps/timestampAuthority.js';
import { checkTimestamp, type TimestampFinding } from '../../src/evidence/checkTimestamp.js';
import { type ClaimTrust, noTrust, readClaimTrust } from '../../src/evidence/claimTrust.js';

const file = Buffer.from('hello');
const imprint = hashOf('sha256', file);
const HOUR = 3_600_000;
const before = (hours: number) => new Date(STAMPED_AT.getTime() - hours * HOUR);
const after = (hours: number) => new Date(STAMPED_AT.getTime() + hours * HOUR);

let folder: string;
let root: Authority;
let intermediate: Authority;
let stamper: Authority;
let trust: ClaimTrust;

async function readTrust(...pems: string[]): Promise<ClaimTrust> {
  const path = join(folder, 'trust.pem');
  await writeFile(path, pems.join(''));
  return readClaimTrust(path);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  root = await makeAuthority();
  intermediate = await makeAuthority({ name: 'CN=Intermediate', issuer: root, serial: '02' });
  stamper = await makeStamper({ issuer: intermediate });
  trust = await readTrust(root.pem);
});

const makeStamper = (options: AuthorityOptions) =>
  makeAuthority({ name: 'CN=Stamper, O=Test', serial: '0a', key: 'p256', extensions: asStamper(), ...options });

const check = (bytes: Uint8Array, roots = trust): Promise<TimestampFinding> =>
  checkTimestamp({ bytes, subject: { sha256: imprint }, trust: roots });
const chain = () => [stamper.raw, intermediate.raw];
const stamp = (options: Partial<TokenOptions> = {}) =>
  makeToken({ imprint, signer: stamper, certificates: chain(), ...options });

const trusted = (source = 'Stamper, Test') => ({ state: 'trusted', reason: null, time: STAMPED_AT, source });
const untrusted = {
  state: 'untrusted',
  reason: 'The operator of this registry does not trust the time-stamp authority.',
  time: STAMPED_AT,
};
const invalid = (reason: RegExp | string) => ({ state: 'invalid', reason: expect.stringMatching(reason) });

describe('a time-stamp', () => {
  it('is trusted as a token and as a response, of which the token is kept', async () => {
    const token = stamp();
    for (const bytes of [token, makeResponse(0, token), makeResponse(1, token)]) {
      expect(await check(bytes)).toMatchObject(trusted());
      expect(await check(bytes)).toMatchObject({ token: Uint8Array.from(token) });
    }
  });

  it.each([
    ['ed25519', 'sha512', undefined],
    ['p256', 'sha256', undefined],
    ['p384', 'sha384', undefined],
    ['p256', 'sha512', undefined],
    ['rsa', 'sha256', undefined],
    ['rsa', 'sha512', undefined],
    ['rsa', 'sha256', 'pss'],
    ['rsa', 'sha384', 'pss'],
  ] as const)('is trusted with a key of kind %s and %s (%s)', async (key, digest, scheme) => {
    const issuer = await makeAuthority({ key: key === 'rsa' ? 'p384' : key });
    const signer = await makeStamper({ issuer, key });
    const token = makeToken({ imprint, signer, digest, ...(scheme && { scheme }) });
    expect(await check(token, await readTrust(issuer.pem))).toMatchObject(trusted());
  });

  it.each([
    ['openssl-rsa-sha256-ess-sha1', 'openssl', 'sha256'],
    ['openssl-rsa-sha512-ess-sha256', 'openssl', 'sha256'],
    ['openssl-p256-sha256-ess-sha256', 'openssl', 'sha256'],
    ['openssl-p384-sha384-ess-sha512', 'openssl', 'sha256'],
    ['sigstore-staging-sha256', 'sigstore-staging', 'sha256'],
    ['identrust-sha512', 'identrust', 'sha512'],
  ])('of other software is trusted: %s', async (name, authority, digest) => {
    const fixture = (path: string) => new URL(`fixtures/${path}`, import.meta.url);
    const bytes = readFileSync(fixture(`${name}.tsr`));
    const roots = readClaimTrust(fixture(`${authority}-root.pem`).pathname);
    const subject = digest === 'sha256' ? { sha256: imprint } : { data: file };
    expect(await checkTimestamp({ bytes, subject, trust: roots })).toMatchObject({ state: 'trusted' });
    expect(await checkTimestamp({ bytes, subject, trust: noTrust })).toMatchObject({ state: 'untrusted' });
    const other = { ...subject, ...(digest === 'sha256' ? { sha256: hashOf('sha256', bytes) } : { data: bytes }) };
    expect(await checkTimestamp({ bytes, subject: other, trust: roots })).toEqual(invalid('another file'));
  });

  it('of the built-in authority is trusted under its root', async () => {
    const signer = await makeStamper({ issuer: root });
    const keyPem = String(signer.key.export({ type: 'pkcs8', format: 'pem' }));
    const authority = new TimestampAuthority({ keyPem, certificatePem: signer.pem }, () => STAMPED_AT);
    expect(await check(await authority.stamp(file))).toMatchObject(trusted());
  });

  it('never states another time, whichever byte is changed', async () => {
    const token = stamp();
    for (let index = 0; index < token.length; index += 5) {
      const changed = Buffer.from(token);
      changed[index] = (changed[index] ?? 0) ^ 0x01;
      const finding = await check(changed);
      expect([index, finding.state === 'invalid' || finding.time.getTime() === STAMPED_AT.getTime()]).toEqual([
        index,
        true,
      ]);
    }
  });
});

describe('a time-stamp that is refused', () => {
  const other = Buffer.alloc(32, 1);
  const rows: [string, string, () => Buffer][] = [
    ['over another file', 'another file', () => stamp({ imprint: other })],
    ['over a SHA-512', 'not over a SHA-256', () => stamp({ imprint: hashOf('sha512', file), imprintDigest: 'sha512' })],
    ['with the SHA-256 under the name of SHA-384', 'not over a SHA-256', () => stamp({ imprintDigest: 'sha384' })],
    ['over a SHA-1', 'hash function', () => stamp({ imprint: hashOf('sha1', file), imprintDigest: 'sha1' })],
    ['signed with SHA-1', 'hash function', () => stamp({ digest: 'sha1' })],
    [
      'whose content was changed',
      'changed after',
      () => stamp({ changeContent: (content) => replaceIn(content, imprint, other) }),
    ],
    ['with the digest of another content', 'changed after', () => stamp({ contentDigest: other })],
    [
      'of another type',
      'not a time-stamp',
      () => stamp({ contentType: der(0x06, Buffer.from('2a864886f70d010701', 'hex')) }),
    ],
    [
      'whose signed attributes were changed',
      'signature',
      () =>
        stamp({
          moreAttributes: [attribute('2a0304', der(0x05))],
          changeAttributes: (all) => all.filter((one) => !one.includes(Buffer.from('06032a0304', 'hex'))),
        }),
    ],
    ['with an attribute twice', 'occurs twice', () => stamp({ moreAttributes: [attribute(CONTENT_TYPE, der(0x05))] })],
    [
      'with two digests',
      'occurs twice',
      () => stamp({ moreAttributes: [attribute(MESSAGE_DIGEST, der(TAG.octetString, other))] }),
    ],
    ['that names no certificate', 'does not name', () => stamp({ named: null })],
    ['that names another certificate', 'does not name', () => stamp({ named: intermediate.raw })],
    ['without its certificate', 'does not contain', () => stamp({ certificates: [intermediate.raw] })],
    ['with two signers', 'not a time-stamp token', () => stamp({ moreSigners: true })],
    [
      'with more certificates than any authority has',
      'too many',
      () => stamp({ certificates: Array(17).fill(stamper.raw) }),
    ],
    ['with an accuracy of an hour', 'accuracy', () => stamp({ accuracySeconds: 3600 })],
    ['with an unknown critical extension', 'critical extension', () => stamp({ extensions: criticalExtension })],
    ['with bytes after its end', 'not a time-stamp token', () => Buffer.concat([stamp(), Buffer.from([0, 0])])],
    ['cut off', 'not a time-stamp token', () => stamp().subarray(0, -1)],
    ['empty', 'not a time-stamp token', () => Buffer.alloc(0)],
    ['with an indefinite length', 'not a time-stamp token', () => indefinite(stamp())],
    ['nested deeply', 'not a time-stamp token', () => nest(10_000)],
    [
      'of tens of thousands of elements',
      'not a time-stamp token',
      () => der(TAG.sequence, Buffer.alloc(60_000, Buffer.from([5, 0]))),
    ],
    ['in a response that rejects', 'rejected', () => makeResponse(2, stamp())],
    ['missing in its response', 'not a time-stamp token', () => makeResponse(0)],
    [
      'in a response with more behind it',
      'not a time-stamp token',
      () => der(TAG.sequence, makeResponse(0, stamp()).subarray(4), der(0x05)),
    ],
    ['made before its certificate', 'not valid at that time', () => stamp({ time: before(24 * 101) })],
    ['made after its certificate', 'not valid at that time', () => stamp({ time: after(24 * 101) })],
  ];
  it.each(rows)('is one %s', async (_name, reason, make) => {
    expect(await check(make())).toEqual(invalid(reason));
  });

  const certificateRows: [string, string, AuthorityOptions][] = [
    ['without a purpose', 'not one for time-stamps', { extensions: asStamper([]) }],
    ['for another purpose', 'not one for time-stamps', { extensions: asStamper(['1.3.6.1.5.5.7.3.3']) }],
    ['for any purpose', 'not one for time-stamps', { extensions: asStamper(['2.5.29.37.0']) }],
    [
      'for two purposes',
      'not one for time-stamps',
      { extensions: asStamper(['1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.3']) },
    ],
    ['whose purpose is not critical', 'not one for time-stamps', { extensions: asStamper(undefined, false) }],
    ['that may sign certificates', 'not one for time-stamps', { extensions: [...asRoot(), ...asStamper().slice(2)] }],
    ['with a short key', 'too weak', { key: 'rsa1024' }],
    ['that was not valid yet', 'not valid at that time', { validFrom: after(1) }],
    ['that had expired', 'not valid at that time', { validTo: before(1) }],
    [
      'with an unknown restriction',
      'restrictions',
      { extensions: [...asStamper(), new x509.Extension('1.2.3.4', true, Buffer.from([5, 0]))] },
    ],
  ];
  it.each(certificateRows)('has a certificate %s', async (_name, reason, options) => {
    const signer = await makeStamper({ issuer: root, ...options });
    expect(await check(makeToken({ imprint, signer }))).toEqual(invalid(reason));
  });

  it('has the name and number of a real authority, but not its key', async () => {
    const forger = await makeAuthority();
    const signer = await makeStamper({ issuer: forger });
    expect(await check(makeToken({ imprint, signer }))).toMatchObject(untrusted);
    // The real certificate in place of the forger's.
    const real = await makeStamper({ issuer: root });
    const forged = makeToken({ imprint, signer, named: real.raw, certificates: [real.raw] });
    expect(await check(forged)).toEqual(invalid('signature'));
  });

  const pathRows: [string, string, AuthorityOptions][] = [
    ['is no authority', 'not a certificate authority', { extensions: asStamper() }],
    ['has no constraints', 'not a certificate authority', { extensions: [] }],
    [
      'may not sign certificates',
      'not a certificate authority',
      { extensions: [...asRoot().slice(0, 1), ...asStamper().slice(1, 2)] },
    ],
    [
      'is for other purposes',
      'not an authority for',
      { extensions: [...asRoot(), new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1'])] },
    ],
    ['had expired', 'not valid at that time', { validTo: before(1) }],
  ];
  it.each(pathRows)('comes from an issuer under a trusted root that %s', async (_name, reason, options) => {
    const issuer = await makeAuthority({ name: 'CN=Issuer', issuer: root, serial: '05', ...options });
    const signer = await makeStamper({ issuer });
    expect(await check(makeToken({ imprint, signer, certificates: [signer.raw, issuer.raw] }))).toEqual(
      invalid(reason),
    );
  });

  it('has more authorities than a path length allows', async () => {
    const short = await makeAuthority({ name: 'CN=Short', issuer: root, serial: '06', extensions: asRoot(0) });
    const below = await makeAuthority({ name: 'CN=Below', issuer: short, serial: '07' });
    const right = await makeStamper({ issuer: short });
    const wrong = await makeStamper({ issuer: below });
    expect(await check(makeToken({ imprint, signer: right, certificates: [right.raw, short.raw] }))).toMatchObject(
      trusted(),
    );
    const certificates = [wrong.raw, below.raw, short.raw];
    expect(await check(makeToken({ imprint, signer: wrong, certificates }))).toEqual(invalid('below it'));
  });
});

describe('a time-stamp that is not trusted', () => {
  it('has a root that the operator does not list, or none at all', async () => {
    const stranger = await makeAuthority({ name: 'CN=Stranger' });
    const signer = await makeStamper({ issuer: stranger });
    for (const certificates of [[signer.raw], [signer.raw, stranger.raw]]) {
      expect(await check(makeToken({ imprint, signer, certificates }))).toMatchObject(untrusted);
    }
    const alone = await makeStamper({});
    expect(await check(makeToken({ imprint, signer: alone }))).toMatchObject(untrusted);
    expect(await check(stamp(), noTrust)).toMatchObject(untrusted);
  });

  it('lacks an intermediate certificate, unless the operator has it', async () => {
    const token = stamp({ certificates: [stamper.raw] });
    expect(await check(token)).toMatchObject(untrusted);
    expect(await check(token, await readTrust(root.pem, intermediate.pem))).toMatchObject(trusted());
  });

  it('shows no control characters and no direction overrides in the name of its authority', async () => {
    const name = 'CN=Evil\u202e stamps\u200b';
    const signer = await makeStamper({ name });
    expect(await check(makeToken({ imprint, signer }))).toMatchObject({ state: 'untrusted', source: 'Evil stamps' });
  });
});

describe('a revoked certificate', () => {
  const { keyCompromise, superseded, unspecified, cessationOfOperation } = x509.X509CrlReason;
  it.each([
    ['for a stolen key, later', keyCompromise, after(5), 'revoked'],
    ['for a stolen key, before', keyCompromise, before(5), 'revoked'],
    ['for no reason, later', undefined, after(5), 'revoked'],
    ['for an unspecified reason, later', unspecified, after(5), 'revoked'],
    ['because it was replaced, later', superseded, after(5), 'trusted'],
    ['because it was replaced, before', superseded, before(5), 'revoked'],
    ['because the authority ended, later', cessationOfOperation, after(5), 'trusted'],
  ] as const)('%s', async (_name, reason, at, state) => {
    const entry = { at, ...(reason !== undefined && { reason }) };
    const lists = [
      // The certificate of the time-stamp, and that of its issuer.
      [root.pem, intermediate.pem, await makeRevocationList(intermediate, [{ serial: '0a', ...entry }])],
      [root.pem, await makeRevocationList(root, [{ serial: '02', ...entry }])],
    ];
    for (const list of lists) expect(await check(stamp(), await readTrust(...list))).toMatchObject({ state });
  });

  it('of another number or another issuer does not matter', async () => {
    const pems = [
      root.pem,
      intermediate.pem,
      await makeRevocationList(root, [{ serial: '0a', at: before(1) }]),
      await makeRevocationList(intermediate, [{ serial: '0b', at: before(1) }]),
    ];
    expect(await check(stamp(), await readTrust(...pems))).toMatchObject(trusted());
  });
});

describe('the file of trusted roots', () => {
  it('is refused with the reason if it cannot be what the operator means', async () => {
    const stranger = await makeAuthority({ name: 'CN=Stranger' });
    const rows: [string, RegExp][] = [
      ['', /contains no root certificate/],
      [intermediate.pem, /contains no root certificate/],
      [root.pem + stamper.pem, /"Stamper, Test" is not one of an authority/],
      [root.pem + (await makeRevocationList(stranger, [])), /not signed by a certificate in it/],
      [root.pem.replace(/[A-Za-z0-9+/]{64}\n/, ''), /a certificate in it cannot be read/],
      [`${root.pem}-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n`, /a revocation list in it cannot be read/],
      [`${root.pem}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n`, /contains PUBLIC KEY/],
    ];
    for (const [pem, problem] of rows) await expect(readTrust(pem)).rejects.toThrow(problem);
  });

  it('has another id when anything in it changes', async () => {
    const list = await makeRevocationList(root, [{ serial: '0a', at: before(1) }]);
    const ids = [noTrust, await readTrust(root.pem), await readTrust(root.pem, list), trust].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe(ids[3]);
  });
});

function replaceIn(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  to.copy(changed, changed.indexOf(from));
  return changed;
}

/** The same content in BER, with an indefinite length outside. */
function indefinite(token: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x30, 0x80]), token.subarray(4), Buffer.from([0, 0])]);
}

function nest(depth: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth && bytes.length < 60_000; level += 1) bytes = der(TAG.sequence, bytes);
  return bytes;
}
