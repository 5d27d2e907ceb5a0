// Whether a registry is still the one that was pinned or remembered. The certificates are made by openssl with the commands of docs/trust.md.

import { readFile, writeFile } from 'node:fs/promises';
import { type RegistryIdentity, registryFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRegistryCertificates, openssl } from '../../../test/support/certificates.js';
import { createIndexSigner } from '../../../test/support/indexSigners.js';
import { createTestLog, stateLog } from '../../../test/support/testLog.js';
import { compareRecord, createRecord } from '../src/trust/registryRecords.js';

const CHAIN_ID = 31_337;
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const DAY_MS = 86_400_000;

type Certificates = Readonly<Record<string, string>>;
/** By the name of the file. */
let pems: Certificates;
/** Pinned, unless a test says otherwise: one root for signers, one for time-stamps, and the registry's own authority. */
let pinned: RegistryIdentity;

beforeAll(async () => {
  const at = await makeRegistryCertificates();
  const other = await makeRegistryCertificates();
  const issue = (from: typeof at, name: string, extensions: readonly string[]) =>
    writeFile(at('x.ext'), extensions.join('\n')).then(() =>
      openssl(
        ...['x509', '-req', '-in', from('root2.csr'), '-CA', from('root.pem'), '-CAkey', from('root.key')],
        ...['-days', '3650', '-extfile', at('x.ext'), '-out', at(name)],
      ),
    );
  await issue(at, 'no-authority.pem', ['basicConstraints=critical,CA:FALSE', 'subjectKeyIdentifier=hash']);
  // Names the pinned root and its key as the issuer, but another key signed it.
  const keyId = (await openssl('x509', '-in', at('root.pem'), '-noout', '-ext', 'subjectKeyIdentifier'))
    .replace(/^.*\n/, '')
    .replaceAll(/[^0-9A-F]/g, '');
  await issue(other, 'forged.pem', [
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,keyCertSign',
    'subjectKeyIdentifier=hash',
    `2.5.29.35=DER:30168014${keyId}`,
  ]);
  // Signed by the key of the pinned root, but in the name of another authority.
  const named = ['-subj', '/CN=Another authority', '-out', at('named.pem')];
  await openssl('req', '-x509', '-key', at('root.key'), ...named);
  const namedAuthority = (name: string) => (name === 'root.pem' ? at('named.pem') : at(name));
  await issue(namedAuthority, 'other-issuer.pem', ['basicConstraints=critical,CA:TRUE', 'subjectKeyIdentifier=hash']);
  const read = async (path: string) => readFile(path, 'utf8');
  pems = {
    root: await read(at('root.pem')),
    root2: await read(at('root2.pem')),
    cross: await read(at('cross.pem')),
    noAuthority: await read(at('no-authority.pem')),
    otherIssuer: await read(at('other-issuer.pem')),
    forged: await read(at('forged.pem')),
    signer: await read(at('signer.pem')),
    otherRoot: await read(other('root.pem')),
    otherRoot2: await read(other('root2.pem')),
    otherCross: await read(other('cross.pem')),
  };
  pinned = identity({ signerRoots: ['root'], timestampRoots: ['otherRoot'] });
});

interface Lists {
  readonly signerRoots?: readonly string[];
  readonly timestampRoots?: readonly string[];
  readonly builtIn?: readonly string[];
  readonly crossCertificates?: readonly string[];
}

/** An identity with certificates by their names. */
function identity(lists: Lists, changes: Partial<RegistryIdentity> = {}): RegistryIdentity {
  const { signerRoots = ['root'], timestampRoots = ['otherRoot'], builtIn = [], crossCertificates = [] } = lists;
  const root = (isBuiltIn: boolean) => (name: string) => ({
    subject: '',
    sha256: '',
    pem: pems[name] ?? name,
    isBuiltIn,
  });
  return {
    name: 'Example Press',
    url: 'https://registry.example',
    chainId: CHAIN_ID,
    contract: CONTRACT,
    signerRoots: signerRoots.map(root(false)),
    timestampRoots: [...timestampRoots.map(root(false)), ...builtIn.map(root(true))],
    crossCertificates: crossCertificates.map((name) => pems[name] ?? name),
    since: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

const pin = (of: RegistryIdentity) => createRecord(of, CHAIN_ID, '2026-02-01T00:00:00.000Z');
const check = async (now: RegistryIdentity, from = pinned, at = new Date()) => compareRecord(await pin(from), now, at);

describe('a registry is the same', () => {
  it.each<[string, Lists, Partial<RegistryIdentity>]>([
    ['as it was', {}, {}],
    ['under another name and URL', {}, { name: 'Renamed', url: 'https://other.example' }],
    ['with the contract in other letters', {}, { contract: CONTRACT.toLowerCase() }],
    ['with a cross-certificate for later', { crossCertificates: ['cross'] }, {}],
  ])('%s', async (_, lists, changes) => {
    expect(await check(identity(lists, changes))).toEqual({ state: 'same' });
  });

  it('while it does not know its chain', async () => {
    const { chainId: _, ...unknownChain } = pinned;
    expect(await check(unknownChain)).toEqual({ state: 'same' });
  });
});

describe('a registry is renewed', () => {
  it.each<[string, Lists]>([
    ['by a root that the pinned one signed', { signerRoots: ['root', 'root2'], crossCertificates: ['cross'] }],
    ['by a root that replaces the one that signed it', { signerRoots: ['root2'], crossCertificates: ['cross'] }],
    ['by a time-stamp root', { timestampRoots: ['otherRoot2'], crossCertificates: ['cross', 'otherCross'] }],
    ['by leaving out time-stamp roots', { timestampRoots: [] }],
  ])('%s', async (_, lists) => {
    const now = identity(lists);
    const result = await check(now);
    if (result.state !== 'renewed') throw new Error(JSON.stringify(result));
    expect(result.record.fingerprint).toBe(registryFingerprint(now));
    // The updated pin is the one of a registry that says so from the beginning.
    expect(result.record).toEqual(await pin(now));
    expect(await compareRecord(result.record, now, new Date())).toEqual({ state: 'same' });
    expect(result.changes.length).toBeGreaterThan(0);
  });

  it('and says which roots came and went', async () => {
    const result = await check(identity({ signerRoots: ['root2'], crossCertificates: ['cross'] }));
    expect(result).toMatchObject({
      changes: [
        expect.stringMatching(/^new signer root "O=Example Press, CN=Registry root 2" \(([0-9a-f]{4} ?){6}\)$/),
        expect.stringMatching(/^signer root "O=Example Press, CN=Registry root 1" .* was removed$/),
      ],
    });
  });
});

describe('a registry is another one', () => {
  it.each<[string, Lists, Partial<RegistryIdentity>, string]>([
    ['on another chain', {}, { chainId: 1 }, 'its chain is 1, not 31337'],
    ['on a chain whose id has a digit more', {}, { chainId: CHAIN_ID * 10 }, 'its chain is 313370, not 31337'],
    ['with another contract', {}, { contract: `0x${'1'.repeat(40)}` }, 'its contract is 0x1111'],
    ['with a contract of another last digit', {}, { contract: CONTRACT.replace(/3$/, '4') }, 'its contract is 0x5Fb'],
    [
      'with a contract of another first digit',
      {},
      { contract: CONTRACT.replace('0x5', '0x6') },
      'its contract is 0x6Fb',
    ],
    ['with another root', { signerRoots: ['root2'] }, {}, 'no known root has signed its signer root'],
    ['with one more root', { signerRoots: ['root', 'root2'] }, {}, 'CN=Registry root 2'],
    ['without roots', { signerRoots: [] }, {}, 'it publishes no signer root'],
    ['with another time-stamp root', { timestampRoots: ['root2'] }, {}, 'its time-stamp root'],
    [
      'with a time-stamp root that only the signer vouches for',
      { timestampRoots: ['root2'], crossCertificates: ['cross'] },
      {},
      'its time-stamp root',
    ],
    [
      'with a cross-certificate that names the pinned root, but that another key signed',
      { signerRoots: ['otherRoot2'], crossCertificates: ['otherCross', 'forged'] },
      {},
      'its signer root',
    ],
    [
      'with a cross-certificate for another key',
      { signerRoots: ['otherRoot2'], crossCertificates: ['cross'] },
      {},
      'its signer root',
    ],
    [
      'with a cross-certificate that is no authority’s',
      { signerRoots: ['root2'], crossCertificates: ['noAuthority'] },
      {},
      'its signer root',
    ],
    [
      'with a cross-certificate of another authority',
      { signerRoots: ['root2'], crossCertificates: ['otherIssuer'] },
      {},
      'its signer root',
    ],
    [
      'with a root that is no root, but signed by one',
      { signerRoots: ['cross'], crossCertificates: ['cross'] },
      {},
      'its signer root',
    ],
    ['with something else than a root', { signerRoots: ['root', 'nothing'] }, {}, 'cannot be read'],
    ['with a broken cross-certificate', { signerRoots: ['root2'], crossCertificates: ['x'] }, {}, 'cannot be read'],
    [
      'with a new chain besides a renewed root',
      { signerRoots: ['root2'], crossCertificates: ['cross'] },
      { chainId: 1 },
      'its chain is 1',
    ],
  ])('%s', async (_, lists, changes, difference) => {
    const result = await check(identity(lists, changes));
    expect(result).toMatchObject({ state: 'changed', differences: [expect.stringContaining(difference)] });
  });

  it('when the cross-certificate is not valid yet or any more', async () => {
    const renewed = identity({ signerRoots: ['root2'], crossCertificates: ['cross'] });
    const at = async (days: number) => (await check(renewed, pinned, new Date(Date.now() + days * DAY_MS))).state;
    // The roots are valid for 7300 days, the cross-certificate for 3650.
    expect([await at(-2), await at(3_600), await at(3_700)]).toEqual(['changed', 'renewed', 'changed']);
  });

  it('when the pinned root is not valid any more', async () => {
    const renewed = identity({ signerRoots: ['root2'], crossCertificates: ['cross'] });
    const late = await check(renewed, pinned, new Date(Date.now() + 7_400 * DAY_MS));
    expect(late.state).toBe('changed');
  });
});

describe('the clock of another party', () => {
  const independent = async (of: RegistryIdentity) => (await pin(of)).timestampRootsPem;

  it('is not the authority of the registry itself, whatever the registry says', async () => {
    expect(await independent(pinned)).toBe(pems['otherRoot']);
    expect(await independent(identity({ timestampRoots: [], builtIn: ['otherRoot'] }))).toBe('');
    expect(await independent(identity({ signerRoots: ['root'], timestampRoots: ['root'] }))).toBe('');
  });

  it('is never one that was the registry’s own, or that the registry’s own root vouches for', async () => {
    const own = identity({ timestampRoots: [], builtIn: ['otherRoot'] });
    // The same roots: only the claim has changed.
    expect(await check(identity({ timestampRoots: ['otherRoot'] }), own)).toEqual({ state: 'same' });
    const next = await check(identity({ timestampRoots: ['otherRoot2'], crossCertificates: ['otherCross'] }), own);
    expect(next).toMatchObject({ state: 'renewed', record: { timestampRootsPem: '' } });
  });
});

describe('the key of the log', () => {
  const vouchedFor = async (name: string) => {
    const signer = await createIndexSigner('ES256');
    const log = await createTestLog('registry.example/log', name);
    const roots = { signerRoots: ['root', signer.root.certificate] };
    return { key: log.key, signer, roots, now: identity(roots, { log: stateLog(signer, log) }) };
  };

  it('is known if a root of the registry vouches for it, and taken over from a registry that has its first', async () => {
    const { key, roots, now } = await vouchedFor('first');
    expect((await pin(now)).logKeys).toEqual([key]);
    const result = await check(now, identity(roots));
    expect(result).toMatchObject({
      state: 'renewed',
      changes: [`new key of its log ${key}`],
      record: { logKeys: [key] },
    });
    expect(await check(now, now)).toEqual({ state: 'same' });
    // As from a process of the release before.
    expect(await check(identity(roots), now)).toEqual({ state: 'same' });
    // What stands beside the signed statement counts for nothing.
    const { log } = now;
    expect(await check({ ...now, ...(log && { log: { ...log, policy: 'quorum none\n' } }) }, now)).toEqual({
      state: 'same',
    });
  });

  it('may be replaced by one that a root vouches for', async () => {
    const { key, signer, roots, now } = await vouchedFor('first');
    const next = await createTestLog('registry.example/log', 'second');
    const rotated = stateLog(signer, next);
    const result = await check(identity(roots, { log: rotated }), now);
    const changes = [`new key of its log ${next.key}`, `key of its log ${key} was removed`];
    expect(result).toMatchObject({ state: 'renewed', changes, record: { logKeys: [next.key] } });
  });

  it('is kept with the contract of its anchors, which may change as the key may', async () => {
    const { key, signer, roots, now } = await vouchedFor('first');
    const at = (digit: string) => {
      const contract = { chainId: 1, address: `0x${digit.repeat(40)}` };
      return identity(roots, { log: stateLog(signer, { key, contract }) });
    };
    const address = `0x${'1'.repeat(40)}`;
    expect((await pin(at('1'))).logContract).toBe(address);
    const changes = [`its log is anchored in ${address}`];
    const record = { logKeys: [key], logContract: address };
    for (const before of [now, at('2')]) {
      expect(await check(at('1'), before)).toMatchObject({ state: 'renewed', changes, record });
    }
    // A process that has not reached its chain states none.
    expect(await check(now, at('1'))).toEqual({ state: 'same' });
    // What stands beside the signed statement counts for nothing.
    const unsigned = at('1');
    if (unsigned.log) unsigned.log.contract = { chainId: 1, address: `0x${'3'.repeat(40)}` };
    expect(await check(unsigned, at('1'))).toEqual({ state: 'same' });
  });

  it('that no root vouches for makes the registry another one', async () => {
    const { roots, now } = await vouchedFor('first');
    const forged = stateLog(await createIndexSigner('ES256'), await createTestLog('registry.example/log', 'forged'));
    const differences = ['no root vouches for the key of its log'];
    for (const from of [now, identity(roots)]) {
      expect(await check(identity(roots, { log: forged }), from)).toEqual({ state: 'changed', differences });
    }
    expect((await pin(identity(roots, { log: forged }))).logKeys).toBeUndefined();
  });
});
