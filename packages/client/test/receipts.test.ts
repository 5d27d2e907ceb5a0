// Receipts of the public log as a source of a verification, from the service and in bundles. The logs here are the test's own,
// so that they can have leaves and signatures that no honest service makes.

import type { LogReceipt } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { createIndexSigner } from '../../../test/support/indexSigners.js';
import { createTestLog, hideTerms, leafOf, stateLog } from '../../../test/support/testLog.js';
import { ANY_PURPOSE, TIME_STAMPING } from '../../c2pa/src/index.js';
import { commitToTerms, formatSalt, type Leaf } from '../../log/src/index.js';
import {
  ApiError,
  type Bundle,
  InvalidArgumentError,
  makeBundle,
  type RegistryClient,
  readLogIdentity,
  verify,
  verifyBundle,
} from '../src/index.js';
import { factsOf, startVerifiedService } from './support/verifiedService.js';

const { stranger, ada, trustAnchorsPem, registerFile, signImage } = await startVerifiedService();
const { fingerprint } = await registerFile();
const { fingerprint: otherFile } = await registerFile();
const log = await createTestLog();
const otherKey = (await createTestLog('registry.example/log', 'another key')).key;
const otherLog = await createTestLog('other.example/log');
const { log: _, ...plain } = await makeBundle(fingerprint, { client: stranger });
const others = await makeBundle(otherFile, { client: stranger });
const honest = { ...plain, log: await log.logLeaf(leafOf(plain)) };
const logKeys = [log.key];
const named = { fingerprint, logKeys };
const license = plain.metadata?.license?.name;
const copy = await makeBundle(await signImage(), { client: stranger });
/** Long before the registration. */
const EARLY = '2001-01-01T00:00:00.000Z';

async function withLeaf(leaf: Leaf, bundle = plain): Promise<Bundle> {
  return { ...bundle, log: await log.logLeaf(leaf) };
}

describe('In a bundle,', () => {
  test('a receipt verifies the file for those who know the key of the log, and what its leaf says', async () => {
    const found = await verifyBundle(honest, named);
    expect(found).toMatchObject({ verdict: 'verified', independentSources: ['log'], problems: [] });
    expect(found.checks.log).toMatchObject({
      state: 'confirmed',
      details: { origin: 'registry.example/log', index: 5, size: 6, keyFrom: 'caller', manifestId: plain.manifestId },
    });
    const facts = factsOf(found);
    expect(facts).toMatchObject({
      mark: ['Ada Lovelace Photography', 'log'],
      markId: [ada.markId, 'log'],
      author: ['Ada', 'log'],
      license: [license, 'log'],
      filename: ['sunrise.jpg', 'log'],
    });
    // Times in the log are the log's own word.
    expect(facts['since']?.[1]).toBe('service');
    const both = await verifyBundle(honest, { ...named, trustAnchorsPem, require: ['log', 'manifest'] });
    expect([both.verdict, both.independentSources]).toEqual(['verified', ['manifest', 'log']]);
  });

  test('a receipt proves nothing to those who do not know the key', async () => {
    const { verdict, checks, facts } = await verifyBundle(honest, { fingerprint });
    expect([verdict, checks.log.state, checks.log.code]).toEqual(['consistent', 'unavailable', 'NOT_PROVEN']);
    expect(facts.filter(({ evidence }) => evidence.includes('log'))).toEqual([]);
    const required = await verifyBundle(honest, { fingerprint, trustAnchorsPem, require: ['log'] });
    expect([required.verdict, required.reason?.code]).toEqual(['incomplete', 'REQUIRED']);
  });

  test('a key that nothing could be checked with makes the result incomplete, unless another source confirms', async () => {
    const { verdict, reason } = await verifyBundle(plain, named);
    expect([verdict, reason?.code]).toEqual(['incomplete', 'SOURCE_UNUSABLE']);
    const { verdict: withRoots } = await verifyBundle(plain, { ...named, trustAnchorsPem });
    expect(withRoots).toBe('verified');
  });

  test('several keys of one log may be named, and each makes a receipt hold', async () => {
    expect((await verifyBundle(honest, { fingerprint, logKeys: [otherKey, log.key] })).verdict).toBe('verified');
    for (const keys of [[log.key, otherLog.key], ['registry.example/log'], [`${log.key}A`], [log.key, log.key]]) {
      await expect(verifyBundle(honest, { fingerprint, logKeys: keys })).rejects.toThrow(InvalidArgumentError);
    }
  });

  test.each([
    ['another key of this log', otherKey],
    ['the key of another log', otherLog.key],
  ])('a receipt under %s is contradicted, also if roots confirm', async (_, key) => {
    const { verdict, problems } = await verifyBundle(honest, { fingerprint, trustAnchorsPem, logKeys: [key] });
    expect([verdict, problems.map(({ source, code }) => [source, code])]).toEqual([
      'contradicted',
      [['log', 'RECEIPT_INVALID']],
    ]);
  });

  const own = leafOf(plain).content;
  const otherHash = `0x${'ab'.repeat(32)}` as const;
  test.each<[string, Partial<typeof own>, code: string]>([
    ['file', { fingerprint: otherFile }, 'FINGERPRINT_MISMATCH'],
    ['Artifact', { id: others.manifestId }, 'MANIFEST_ID_MISMATCH'],
    ['manifest', { manifest: otherHash }, 'LEAF_MISMATCH'],
    ['hash of the metadata', { metadata: otherHash }, 'LEAF_MISMATCH'],
    ['Mark', { mark: others.manifestId }, 'LEAF_MISMATCH'],
    ['license', { license: 'CC0-1.0' }, 'LEAF_MISMATCH'],
    ['AI preference', { ai: [0, 0, 0, 1] }, 'LEAF_MISMATCH'],
  ])('a leaf with another %s is contradicted', async (_, change, code) => {
    const lie = await withLeaf(leafOf(plain, change));
    const { verdict, problems } = await verifyBundle(lie, { ...named, trustAnchorsPem });
    expect([verdict, problems.map((problem) => problem.code)]).toEqual([
      'contradicted',
      expect.arrayContaining([code]),
    ]);
  });

  test('a leaf that is no registration is contradicted', async () => {
    const content = { fingerprint, visibility: 'public', time: own.time } as const;
    const { problems } = await verifyBundle(await withLeaf({ kind: 'content', content }), named);
    expect(problems.map(({ code }) => code)).toEqual(['RECEIPT_INVALID']);
  });

  test('a leaf that hides the Mark says who registered the file to those who can open it', async () => {
    const { leaf, opening } = hideTerms(leafOf(plain));
    const hidden = await withLeaf(leaf);
    const { log: receipt, metadata: _, ...rest } = hidden;
    if (!receipt) throw new Error('no receipt');
    const closed = await verifyBundle({ ...rest, log: receipt }, named);
    expect(closed.checks.log).toMatchObject({ state: 'confirmed', details: { areTermsHidden: true } });
    expect(closed.facts.filter(({ evidence }) => evidence.includes('log'))).toEqual([]);
    const opened = await verifyBundle({ ...rest, log: { ...receipt, opening } }, named);
    expect(factsOf(opened)).toMatchObject({ markId: [ada.markId, 'log'], license: [license, 'log'] });
    const salt = formatSalt(new Uint8Array(32));
    for (const lie of [
      { ...opening, salt },
      { ...opening, license: 'CC0-1.0' },
      { ...opening, mark: others.manifestId },
    ]) {
      const { problems } = await verifyBundle({ ...rest, log: { ...receipt, opening: lie } }, named);
      expect(problems.map(({ code }) => code)).toEqual(['RECEIPT_INVALID']);
    }
    // Another opening with a commitment of its own is another leaf, which the receipt is not for.
    const forged = receipt.leaf.replace(/0x[0-9a-f]{64}(?=","id")/, commitToTerms({ ...opening, salt }));
    const { verdict } = await verifyBundle({ ...rest, log: { ...receipt, leaf: forged } }, named);
    expect(verdict).toBe('contradicted');
  });

  test('the receipt of another file is contradicted', async () => {
    const lie = { ...plain, log: await log.logLeaf(leafOf(others)) };
    expect((await verifyBundle(lie, named)).verdict).toBe('contradicted');
  });

  test('no date comes from the log, however early it says that it is', async () => {
    for (const early of [{ time: EARLY }, { time: EARLY, imported: true }] as const) {
      const found = await verifyBundle(await withLeaf(leafOf(plain, early)), named);
      expect([found.verdict, found.checks.log.details.loggedAt]).toEqual(['verified', EARLY]);
      expect(JSON.stringify([found.facts, found.times, found.checks.log.proves])).not.toContain('2001');
      expect(found.checks.log.proves).toContain('times in the log are its own word');
    }
  });

  describe('the receipt of a signed copy', () => {
    const { chain: _, log: __, ...unproven } = copy;
    const named = { fingerprint: copy.fingerprint, logKeys, trustAnchorsPem };
    const rendition = leafOf(copy);

    test('ties it to the manifest of the registered file, for those who know both the key and the roots', async () => {
      const found = await verifyBundle(await withLeaf(rendition, unproven), named);
      expect([found.verdict, found.independentSources]).toEqual(['verified', ['manifest', 'log']]);
      expect(factsOf(found)['signedCopyOf']).toEqual([copy.signedCopyOf, 'log manifest']);
      // The time-stamp is one of the registered file.
      expect(found.times.filter(({ source }) => source === 'timestamp')).toEqual([]);
      for (const one of [{ logKeys: undefined }, { trustAnchorsPem: undefined }]) {
        const { verdict, facts } = await verifyBundle(await withLeaf(rendition, unproven), { ...named, ...one });
        expect(facts.find(({ name }) => name === 'signedCopyOf')?.evidence).toEqual(['service']);
        // The leaf itself is proven to those who know the key.
        expect(verdict).toBe(one.trustAnchorsPem === undefined && 'trustAnchorsPem' in one ? 'verified' : 'incomplete');
      }
    });

    test.each<[string, Leaf]>([
      ['of the kind of a registered file', { ...rendition, kind: 'artifact' }],
      ['of another manifest', leafOf(copy, { manifest: leafOf(others).content.manifest })],
      ['of a manifest that differs in one digit', leafOf(copy, { manifest: nextDigit(rendition.content.manifest) })],
      ['of the registered file', leafOf(copy, { fingerprint: copy.signedCopyOf ?? otherFile })],
      ['of a file that differs in one digit', leafOf(copy, { fingerprint: nextDigit(copy.fingerprint) })],
    ])('ties nothing if its leaf is %s', async (_, leaf) => {
      const found = await verifyBundle(await withLeaf(leaf, unproven), named);
      expect([found.verdict, found.facts.filter(({ name }) => name === 'signedCopyOf')]).toEqual(['contradicted', []]);
    });

    test('is contradicted by a file that is none', async () => {
      const { problems } = await verifyBundle(await withLeaf({ ...leafOf(plain), kind: 'rendition' }), { logKeys });
      expect(problems.map(({ source, code }) => [source, code])).toEqual([['registry', 'LEAF_MISMATCH']]);
    });
  });
});

/** As in the certificate with which the service signs manifests. */
const SIGNER = 'CN=Development signer, O=Provenance registry';
const registry = await createIndexSigner('ES256', { subject: SIGNER });
const forger = await createIndexSigner('ES256');
const statement = stateLog(registry, log);
const notFound = new ApiError('NOT_FOUND', 404, 'Not yet.');

/** A service with the test's log, that publishes the roots of the signer beside its own. */
function serveLog(
  receipt: LogReceipt | undefined,
  { log: stated = statement, roots = [registry.root.certificate] } = {},
) {
  const requests: string[] = [];
  const client: RegistryClient = {
    ...stranger,
    async getRegistryIdentity(options) {
      const identity = await stranger.getRegistryIdentity(options);
      const [root] = identity.signerRoots;
      if (!root) throw new Error('no root');
      const signerRoots = [...identity.signerRoots, ...roots.map((pem) => ({ ...root, pem }))];
      return { ...identity, signerRoots, log: stated };
    },
    getPublicReceipt({ fingerprint: asked }) {
      requests.push(asked);
      return receipt ? Promise.resolve(receipt) : Promise.reject(notFound);
    },
  };
  return { client, requests };
}

describe('From a service,', () => {
  const bothRoots = `${trustAnchorsPem}\n${registry.root.certificate}`;

  test("a receipt under the key that only the service names is the service's word", async () => {
    const { client } = serveLog(honest.log);
    const found = await verify(fingerprint, { client });
    expect(found.checks.log).toMatchObject({ state: 'agrees', details: { keyFrom: 'service', index: 5 } });
    expect([found.verdict, found.independentSources]).toEqual(['consistent', []]);
    expect(found.facts.filter(({ evidence }) => !evidence.includes('service'))).toEqual([]);
  });

  test.each([
    ['the key', { logKeys }, ['log']],
    ['the roots that vouch for the key', { trustAnchorsPem: bothRoots }, ['manifest', 'log']],
  ])('a receipt verifies for those who know %s', async (_, options, sources) => {
    const { client } = serveLog(honest.log);
    const found = await verify(fingerprint, { client, ...options });
    expect([found.verdict, found.independentSources]).toEqual(['verified', sources]);
    expect(factsOf(found)['mark']).toEqual(['Ada Lovelace Photography', sources.join(' ')]);
    const signer = sources.includes('manifest') ? 'Development signer, Provenance registry' : undefined;
    expect(found.checks.log.details.keyStatedBy).toBe(signer);
    expect(found.checks.log.proves.includes(`Its key is stated by "${signer}"`)).toBe(signer !== undefined);
  });

  test.each([
    'CN=Signer',
    'CN=Development signer',
    'CN=Development signer, O=Provenance registrY',
    `${SIGNER}, OU=Copies`,
  ])('the log of another signer under the same roots, %s, counts for nothing beside the manifest', async (subject) => {
    const another = await createIndexSigner('ES256', { subject });
    const pins = { trustAnchorsPem: `${trustAnchorsPem}\n${another.root.certificate}` };
    const stated = { log: stateLog(another, log), roots: [another.root.certificate] };
    const found = await verify(fingerprint, { client: serveLog(honest.log, stated).client, ...pins });
    expect([found.verdict, found.independentSources, found.checks.log.state]).toEqual([
      'verified',
      ['manifest'],
      'agrees',
    ]);
    expect(found.checks.log.details).toMatchObject({ keyFrom: 'service' });
    expect(found.checks.log.details.keyStatedBy).toBeUndefined();
    const receipt = await log.logLeaf(leafOf(copy));
    const tied = await verify(copy.fingerprint, { client: serveLog(receipt, stated).client, ...pins });
    expect([tied.verdict, tied.independentSources]).toEqual(['consistent', []]);
  });

  test.each([
    ['the key of the log', { logKeys }, 'verified', ['log', 'manifest']],
    ['roots of the signer that states the key', { trustAnchorsPem: bothRoots }, 'verified', ['log', 'manifest']],
    ['roots that do not vouch for the key', { trustAnchorsPem }, 'consistent', ['service']],
    ['nothing', {}, 'consistent', ['service']],
  ] as const)('a signed copy is tied to its manifest for those who name %s', async (_, options, verdict, evidence) => {
    const { client } = serveLog(await log.logLeaf(leafOf(copy)));
    const found = await verify(copy.fingerprint, { client, ...options });
    const link = 'logKeys' in options ? ['service'] : evidence;
    expect([found.verdict, found.facts.find(({ name }) => name === 'signedCopyOf')?.evidence]).toEqual([verdict, link]);
  });

  test('a registration that has failed is not verified, though its leaf and its manifest remain', async () => {
    const { client } = serveLog(honest.log);
    const failed: RegistryClient = {
      ...client,
      async getPublicArtifact(input, options) {
        return { ...(await client.getPublicArtifact(input, options)), status: 'failed', transactionHash: null };
      },
      getContract: () => Promise.reject(notFound),
    };
    for (const pins of [{ logKeys }, { trustAnchorsPem: bothRoots }]) {
      const { verdict, reason } = await verify(fingerprint, { client: failed, ...pins });
      expect([verdict, reason?.code]).toEqual(['consistent', 'REGISTRATION_FAILED']);
    }
  });

  test.each([
    ['of a signer that no root vouches for', stateLog(forger, log)],
    ['of another type', stateLog(registry, log, 'provenance-downloads+json')],
    ['that was changed', { ...statement, jws: statement.jws.replace(/\..{8}/, '.AAAAAAAA') }],
    ['without a signature', { ...statement, jws: statement.jws.replace(/\.[^.]*$/, '.') }],
  ])('a statement %s names no key', async (_, stated) => {
    const { client, requests } = serveLog(honest.log, { log: stated });
    for (const pins of [{}, { trustAnchorsPem: bothRoots }]) {
      const { checks, independentSources } = await verify(fingerprint, { client, ...pins });
      expect([checks.log.state, checks.log.code]).toEqual(['unavailable', 'NOT_PROVEN']);
      expect(independentSources).not.toContain('log');
    }
    expect(requests).toEqual([]);
    expect(await readLogIdentity(stated.jws, registry.root.certificate)).toBeUndefined();
  });

  test.each([
    ['may sign nothing', { maySign: false }],
    ['is for any purpose', { otherPurposes: [ANY_PURPOSE] }],
    ['is one for time-stamps too', { otherPurposes: [TIME_STAMPING] }],
    ['is one for revocations too', { otherPurposes: ['1.3.6.1.5.5.7.3.9'] }],
  ])('a certificate that %s could not sign manifests, and names no key either', async (_, certificate) => {
    const other = await createIndexSigner('ES256', certificate);
    const { client } = serveLog(honest.log, { log: stateLog(other, log), roots: [other.root.certificate] });
    const pins = { trustAnchorsPem: `${trustAnchorsPem}\n${other.root.certificate}` };
    const { checks, independentSources } = await verify(fingerprint, { client, ...pins });
    expect([checks.log.code, independentSources]).toEqual(['NOT_PROVEN', ['manifest']]);
  });

  test("roots that do not vouch for the key leave it the service's word", async () => {
    const { client } = serveLog(honest.log);
    const found = await verify(fingerprint, { client, trustAnchorsPem });
    expect([found.verdict, found.independentSources, found.checks.log.state]).toEqual([
      'verified',
      ['manifest'],
      'agrees',
    ]);
  });

  test('a forged receipt is a contradiction, whoever names the key', async () => {
    const { client } = serveLog({ ...honest.log, leaf: (await log.logLeaf(leafOf(others))).leaf });
    for (const pins of [{}, { logKeys }, { trustAnchorsPem: bothRoots }]) {
      const { verdict, problems } = await verify(fingerprint, { client, ...pins });
      expect([verdict, problems.map(({ code }) => code)]).toEqual(['contradicted', ['RECEIPT_INVALID']]);
    }
  });

  test('no receipt yet is no contradiction, but not enough for those who named nothing but the key', async () => {
    const { client } = serveLog(undefined);
    const found = await verify(fingerprint, { client, trustAnchorsPem });
    expect([found.verdict, found.checks.log.state]).toEqual(['verified', 'absent']);
    const { verdict, reason } = await verify(fingerprint, { client, logKeys });
    expect([verdict, reason?.code]).toEqual(['incomplete', 'SOURCE_UNUSABLE']);
  });

  test('a file that the service does not have is not asked for in its log', async () => {
    const { client, requests } = serveLog(honest.log);
    const unknown = await verify(`0x${'12'.repeat(32)}`, { client });
    expect([unknown.verdict, unknown.disclosure?.fingerprintDisclosed, requests]).toEqual(['unknown', false, []]);
  });

  test('a record that the log has otherwise is contradicted, and what the log has is shown', async () => {
    const { client } = serveLog(honest.log);
    const lying: RegistryClient = {
      ...client,
      async getPublicArtifact(input, options) {
        const artifact = await client.getPublicArtifact(input, options);
        return { ...artifact, metadata: { ...artifact.metadata, filename: 'moonrise.jpg' } };
      },
    };
    const { verdict, problems, facts } = await verify(fingerprint, { client: lying, logKeys });
    expect([verdict, problems.map(({ source }) => source)]).toEqual([
      'contradicted',
      expect.arrayContaining(['registry']),
    ]);
    expect(facts.find(({ name }) => name === 'filename')).toBeUndefined();
    expect(facts.find(({ name }) => name === 'markId')?.evidence).toEqual(['log']);
  });

  test('bundles carry the receipt, and are made without one while there is none', async () => {
    expect((await makeBundle(fingerprint, { client: serveLog(honest.log).client })).log).toEqual(honest.log);
    expect((await makeBundle(fingerprint, { client: serveLog(undefined).client })).log).toBeUndefined();
  });
});

/** With another last digit. */
function nextDigit<T extends string>(hex: T): `0x${string}` {
  return `0x${hex.slice(2, -1)}${((Number.parseInt(hex.slice(-1), 16) + 1) % 16).toString(16)}`;
}
