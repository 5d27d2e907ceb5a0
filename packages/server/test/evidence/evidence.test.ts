// Manifests and entries on chain as evidence, checked in real processes and on a real EVM.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { childOf, childrenOf, labelOf } from '@provenance-registry/c2pa';
import type { Fingerprint } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { type RegistryChain, startRegistryChain } from '../../../../test/support/registryChain.js';
import { newDataFolder, temporaryFolder } from '../../../../test/support/service.js';
import { newImage } from '../../../../test/support/signedImages.js';
import { asStamper, makeAuthority, makeRevocationList } from '../../../../test/support/timestampForge.js';
import { testWallet } from '../../../../test/support/wallets.js';
import { pngChunk } from '../../src/c2pa/containers/png.js';
import { signPng } from '../../src/c2pa/embedding/signPng.js';
import { createdActionAssertion, softBindingAssertion } from '../../src/c2pa/manifest/assertions.js';
import { encodeCbor } from '../../src/c2pa/manifest/cbor.js';
import { dataHash, dataHashAssertion, hardBindingAssertion } from '../../src/c2pa/manifest/hardBinding.js';
import { box, superbox } from '../../src/c2pa/manifest/jumbf.js';
import { type Assertion, buildManifestStore, type Signing } from '../../src/c2pa/manifest/manifestStore.js';
import { createManifestInspector } from '../../src/c2pa/reading/manifestInspector.js';
import { prepareSigning } from '../../src/c2pa/signing/signingSetup.js';
import { TimestampAuthority } from '../../src/c2pa/timestamps/timestampAuthority.js';
import { createPublicRegistry } from '../../src/chain/publicRegistry.js';
import { maxEvidenceBytes, type SubmittedEvidence } from '../../src/domain/ports/index.js';
import { noTrust, readClaimTrust } from '../../src/evidence/claimTrust.js';
import { EvidenceChecker } from '../../src/evidence/evidenceChecker.js';
import { createTimestampChecker } from '../../src/evidence/timestampChecker.js';
import { createMedia } from '../../src/media/index.js';

const DAY = 86_400_000;
/** Whole seconds, as time-stamps have them. */
const stampedAt = new Date(Math.floor(Date.now() / 1000 - 3600) * 1000);
const validity = { validFrom: new Date(stampedAt.getTime() - DAY), validTo: new Date(stampedAt.getTime() + DAY) };
const client = 'test';
const [alice, bob] = [testWallet(0), testWallet(1)];

const inspector = createManifestInspector({ trustAnchorsPem: '', isOwnCertificate: async () => false });
const media = createMedia();
const timestamps = createTimestampChecker();
let chain: RegistryChain;
let signing: Signing;
let trustPem: string;
let revocationsPem: string;
let trusting: EvidenceChecker;

async function startChecker(...pems: string[]) {
  const path = join(await temporaryFolder(), 'trust.pem');
  await writeFile(path, pems.join(''));
  const trust = pems.length > 0 ? readClaimTrust(path) : noTrust;
  return new EvidenceChecker({ trust, timestamps, manifests: inspector, media, publicRegistry: publicRegistry() });
}

const publicRegistry = () => createPublicRegistry({ url: chain.url, registry: chain.registry });

beforeAll(async () => {
  const dataDir = await newDataFolder();
  const [root, prepared] = await Promise.all([
    makeAuthority(validity),
    prepareSigning({ dataDir, version: '0', source: undefined, timestampUrls: [], clock: () => stampedAt }),
  ]);
  chain = await startRegistryChain();
  const stamper = await makeAuthority({
    ...validity,
    name: 'CN=Stamper, O=Test',
    serial: '0a',
    key: 'p256',
    issuer: root,
    extensions: asStamper(),
  });
  const keyPem = String(stamper.key.export({ type: 'pkcs8', format: 'pem' }));
  const timestamper = new TimestampAuthority({ keyPem, certificatePem: stamper.pem }, () => stampedAt);
  signing = { ...prepared.signing, timestamper };
  trustPem = root.pem;
  revocationsPem = await makeRevocationList(root, [{ serial: '0a', at: stampedAt }]);
  trusting = await startChecker(trustPem);
});
afterAll(() => Promise.all([inspector.close(), media.close(), timestamps.close(), chain.close()]));

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const fingerprintOf = (bytes: Uint8Array): Fingerprint => `0x${digestOf(bytes).toString('hex')}`;
const file = Buffer.from('a file that is registered later');
const about = { client, fingerprint: fingerprintOf(file) };
const other = Buffer.from('another file');

const build = (assertions: readonly Assertion[], by: Partial<Signing> = {}, ingredientManifests: Buffer[] = []) =>
  buildManifestStore(
    {
      label: `urn:c2pa:${randomUUID()}`,
      title: 'x',
      ingredientManifests,
      assertions: [createdActionAssertion(), ...assertions],
    },
    { ...signing, ...by },
  );
const buildAbout = (bytes: Uint8Array) => build([dataHashAssertion(digestOf(bytes))]);
const sign = async (assertions: readonly Assertion[] = []) =>
  signPng(
    await newImage('image/png'),
    { label: `urn:c2pa:${randomUUID()}`, title: undefined, assertions: [createdActionAssertion(), ...assertions] },
    signing,
  );

const manifest = (bytes: Uint8Array, fingerprint: Fingerprint = about.fingerprint): SubmittedEvidence => ({
  kind: 'manifest',
  client,
  fingerprint,
  bytes,
});
const checked = { state: 'checked', time: stampedAt, source: 'Stamper, Test', reason: null };
const refused = (reason: string) =>
  expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(reason) });
const unavailable = expect.objectContaining({ code: 'UNAVAILABLE' });

describe('a manifest', () => {
  it('in a file of its own is checked by its signed hash or its soft binding, and kept', async () => {
    const stores = [
      await buildAbout(file),
      await build([dataHashAssertion(digestOf(other)), softBindingAssertion(digestOf(file))]),
    ];
    for (const store of stores) {
      expect(await trusting.check(manifest(store))).toEqual({ ...checked, kept: Uint8Array.from(store) });
    }
  });

  it('inside the registered file is checked, and only the manifest is kept', async () => {
    const image = await sign();
    const { kept, ...finding } = await trusting.check(manifest(image, fingerprintOf(image)));
    expect(finding).toEqual(checked);
    expect(image.includes(Buffer.from(kept ?? 'nothing is kept'))).toBe(true);
    expect(kept?.length).toBeLessThan(image.length);
    // The file is not kept, so the binding is not checked again.
    const evidence = { kind: 'manifest', fingerprint: fingerprintOf(image), bytes: kept ?? image } as const;
    expect(await trusting.recheck(evidence)).toEqual(checked);
    // The file without any change, but registered under another fingerprint, never gets here; a changed one does.
    const changed = Buffer.concat([image, Buffer.from('more')]);
    await expect(trusting.check(manifest(changed, fingerprintOf(changed)))).rejects.toEqual(
      refused('not bound to this file'),
    );
  });

  const signedAssertion = softBindingAssertion(digestOf(file));
  const rows: [string, string, () => Promise<Uint8Array>][] = [
    ['is about another file', 'not bound to this file', () => buildAbout(other)],
    [
      'leaves a part of the file out of its hash',
      'not bound to this file',
      () => build([hardBindingAssertion('data', dataHash(digestOf(file), { start: 1, length: 1 }))]),
    ],
    [
      'has its soft binding where nothing is signed',
      'no C2PA manifest that can be read',
      async () => addAssertion(await buildAbout(other), 'c2pa.soft-binding', signedAssertion),
    ],
    [
      'has a second, unsigned soft binding of the same name',
      'The evidence is refused',
      async () =>
        addAssertion(
          await build([dataHashAssertion(digestOf(other)), softBindingAssertion(digestOf(other))]),
          'c2pa.soft-binding',
          signedAssertion,
        ),
    ],
    [
      'only contains an older manifest that is about the file',
      'not bound to this file',
      async () => build([dataHashAssertion(digestOf(other))], {}, childrenOf(await buildAbout(file))),
    ],
    [
      'has a soft binding that was changed',
      'assertion.hashedURI.mismatch',
      async () =>
        replaceIn(
          await build([dataHashAssertion(digestOf(file)), softBindingAssertion(digestOf(other))]),
          digestOf(other),
          digestOf(file),
        ),
    ],
    [
      'has bytes after its end',
      'no C2PA manifest',
      async () => Buffer.concat([await buildAbout(file), Buffer.from([0])]),
    ],
    ['is cut off', 'no C2PA manifest', async () => (await buildAbout(file)).subarray(0, -1)],
    ['is missing in its file', 'no C2PA manifest', () => newImage('image/png')],
    ['is text', 'no C2PA manifest', async () => file],
    [
      'has a time-stamp of another signature',
      'no valid time-stamp',
      () =>
        build([dataHashAssertion(digestOf(file))], { timestamper: { stamp: () => signing.timestamper.stamp(other) } }),
    ],
    [
      'has no time-stamp',
      'no valid time-stamp',
      () => build([dataHashAssertion(digestOf(file))], { timestamper: { stamp: async () => Buffer.from([0x30, 0]) } }),
    ],
  ];
  it.each(rows)('is refused if it %s', async (_name, reason, make) => {
    await expect(trusting.check(manifest(await make()))).rejects.toEqual(refused(reason));
  });

  it('is unchecked without a trusted root, refused with a revoked certificate, and checked again when that changes', async () => {
    const store = await buildAbout(file);
    const [without, revoking] = await Promise.all([startChecker(), startChecker(trustPem, revocationsPem)]);
    const untrusted = { ...checked, state: 'unchecked', reason: expect.stringContaining('does not trust') };
    expect(await without.check(manifest(store))).toEqual({ ...untrusted, kept: Uint8Array.from(store) });
    await expect(revoking.check(manifest(store))).rejects.toEqual(refused('"Stamper, Test" is revoked'));
    const kept = { kind: 'manifest', fingerprint: about.fingerprint, bytes: store } as const;
    expect(await without.recheck(kept)).toEqual(untrusted);
    expect(await trusting.recheck(kept)).toEqual(checked);
    expect(await revoking.recheck(kept)).toEqual({
      ...checked,
      state: 'unchecked',
      reason: expect.stringContaining('revoked'),
    });
    expect(new Set([without, revoking, trusting].map(({ trustId }) => trustId)).size).toBe(3);
  });

  it('is not looked for in the network', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/manifest.c2pa`;
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="${url}"/></rdf:RDF></x:xmpmeta>`;
    const image = await newImage('image/png');
    const end = image.length - 12;
    const text = pngChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`));
    const remote = Buffer.concat([image.subarray(0, end), text, image.subarray(end)]);
    await expect(trusting.check(manifest(remote, fingerprintOf(remote)))).rejects.toEqual(refused('no C2PA manifest'));
    server.close();
    expect(requests).toBe(0);
  });
});

describe('a time-stamp', () => {
  it('is checked in a process, kept, and checked again under other roots', async () => {
    const token = await signing.timestamper.stamp(file);
    const evidence = { kind: 'timestamp', ...about, bytes: token } as const;
    expect(await trusting.check(evidence)).toEqual({ ...checked, kept: Uint8Array.from(token) });
    const [without, revoking] = await Promise.all([startChecker(), startChecker(trustPem, revocationsPem)]);
    expect(await without.check(evidence)).toMatchObject({ state: 'unchecked', kept: Uint8Array.from(token) });
    await expect(revoking.check(evidence)).rejects.toEqual(refused('revoked'));
    expect(await revoking.recheck(evidence)).toMatchObject({ state: 'unchecked', time: stampedAt });
    const elsewhere = { ...evidence, fingerprint: fingerprintOf(other) };
    await expect(trusting.check(elsewhere)).rejects.toEqual(refused('another file'));
    expect(await trusting.recheck(elsewhere)).toMatchObject({ state: 'unchecked', time: null });
  });

  it('that is too large is refused before it is read', async () => {
    for (const kind of ['timestamp', 'manifest'] as const) {
      const bytes = Buffer.alloc(maxEvidenceBytes[kind] + 1);
      const tooLarge = expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' });
      await expect(trusting.check({ kind, ...about, bytes })).rejects.toEqual(tooLarge);
    }
  });

  it('whose process dies or lies is neither refused nor believed', async () => {
    const worker = new URL('../support/misbehavingTimestampWorker.mjs', import.meta.url);
    const broken = createTimestampChecker(worker);
    const job = (text: string) => ({ bytes: Buffer.from(text), subject: { sha256: digestOf(file) }, trust: noTrust });
    await expect(broken.check(client, job('exit'))).rejects.toEqual(unavailable);
    await expect(broken.check(client, job('lie'))).rejects.toThrow();
    await broken.close();
  });
});

describe('an entry in the public registry', () => {
  const entryOf = (fingerprint: Fingerprint, account?: `0x${string}`): SubmittedEvidence => ({
    kind: 'chain-entry',
    fingerprint,
    account,
  });
  const register = (account: typeof alice, fingerprint: Fingerprint) =>
    chain.registerPublic(account, fingerprint, ['https://example.com/api'], 'any');

  it('is checked with the time of its block: that of the account, or the earliest', async () => {
    await register(alice, about.fingerprint);
    await register(bob, about.fingerprint);
    const [first, second] = [
      await trusting.check(entryOf(about.fingerprint)),
      await trusting.check(entryOf(about.fingerprint, `0x${bob.address.slice(2).toUpperCase()}`)),
    ];
    expect([first, second]).toEqual([
      { state: 'checked', time: expect.any(Date), source: alice.address, reason: null, kept: null },
      { state: 'checked', time: expect.any(Date), source: bob.address, reason: null, kept: null },
    ]);
    expect(Number(second.time)).toBeGreaterThan(Number(first.time));
    // The chain of the test starts at this time.
    expect(first.time?.getTime()).toBeGreaterThan(1_700_000_000_000);
  });

  it('is refused if there is none: for the file, of the account, or only in the curated registry', async () => {
    const [unknown, own, curated] = ['unknown', 'own', 'curated'].map((text) => fingerprintOf(Buffer.from(text)));
    if (!unknown || !own || !curated) throw new Error('three fingerprints are expected');
    await register(alice, own);
    await chain.registerCurated(curated, `0x${'22'.repeat(16)}`);
    for (const fingerprint of [unknown, curated]) {
      await expect(trusting.check(entryOf(fingerprint))).rejects.toEqual(refused('no entry for this file'));
    }
    await expect(trusting.check(entryOf(own, bob.address))).rejects.toEqual(refused('of this account'));
  });

  it('cannot be checked while the node fails, lies or is gone', async () => {
    const failures = [
      (response: { destroy(): void }) => response.destroy(),
      (response: { end(text: string): void }) => response.end('no JSON'),
      (response: { end(text: string): void }) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1234"}'),
    ];
    for (const failure of failures) {
      chain.misbehave(failure);
      await expect(trusting.check(entryOf(about.fingerprint))).rejects.toEqual(unavailable);
    }
    chain.misbehave(undefined);
    const gone = createPublicRegistry({ url: 'http://127.0.0.1:9', registry: chain.registry });
    await expect(gone.findEntry(about.fingerprint, undefined)).rejects.toEqual(unavailable);
  });
});

/** Adds an assertion to the active manifest that its claim does not mention. */
function addAssertion(store: Buffer, label: string, { content }: Assertion): Buffer {
  const [active] = childrenOf(store);
  if (!active) throw new Error('an empty store');
  const assertions = childOf(active, 'c2pa.assertions');
  const added = superbox('cbor', label, box('cbor', encodeCbor(content)));
  const more = superbox('c2as', 'c2pa.assertions', ...childrenOf(assertions), added);
  const parts = childrenOf(active).map((child) => (labelOf(child) === 'c2pa.assertions' ? more : child));
  return superbox('c2pa', 'c2pa', superbox('c2ma', labelOf(active), ...parts));
}

function replaceIn(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  to.copy(changed, changed.lastIndexOf(from));
  return changed;
}
