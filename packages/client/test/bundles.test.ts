// Bundles: made while the service is available, verified without it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import {
  ApiError,
  type Bundle,
  createClient,
  InvalidResponseError,
  makeBundle,
  parseBundle,
  verifyBundle,
  waitForStatus,
} from '../src/index.js';

const dataDir = await temporaryFolder();
const service = await startService({ DATA_DIR: dataDir });
const { client, markId } = await createRegistrant(service.url);
const { rpcUrl = '', address } = await client.getContract();
const chain = { rpcUrl };
const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

async function registerFile() {
  const { fingerprint } = newFile();
  await client.createArtifact({ markId, fingerprint, filename: 'sunrise.jpg' });
  await waitForStatus(client, fingerprint);
  return fingerprint;
}
const fingerprint = await registerFile();
const other = await registerFile();
/** Serialized and parsed again, as after storing it in a file. */
const bundle = parseBundle(JSON.parse(JSON.stringify(await makeBundle(fingerprint, { client, chain }))));
const othersBundle = await makeBundle(other, { client, chain });
const strangersBundle = await makeBundle(fingerprint, { client: createClient({ baseUrl: service.url }) });

function changeBundle(change: object): Bundle {
  return parseBundle({ ...bundle, ...change });
}

test('a bundle has manifest, report, card, record, and the chain entry with receipt and block', () => {
  expect(bundle.artifact?.status).toBe('submitted');
  expect(atob(bundle.card).slice(1, 4)).toBe('PNG');
  expect(bundle.chain).toMatchObject({
    chainId: 31_337,
    address,
    entry: { manifestId: bundle.manifestId },
    receipt: { transactionHash: bundle.artifact?.transactionHash, status: '0x1' },
    block: { hash: bundle.chain?.receipt?.['blockHash'], parentHash: expect.stringMatching(/^0x/) },
  });
});

test('an unregistered file has no bundle', async () => {
  const making = makeBundle(newFile().fingerprint, { client, chain });
  await expect(making).rejects.toThrow(ApiError);
  await expect(making).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each([
  ['nothing', undefined, 'not a bundle'],
  ['something else', { version: 1 }, 'not a bundle'],
  ['a bundle of a later version', { ...bundle, version: 2 }, 'version 2'],
  ['a bundle whose manifest is not base64', { ...bundle, manifest: '?' }, 'not a bundle'],
])('%s is not accepted as a bundle', (_, json, message) => {
  expect(() => parseBundle(json)).toThrow(InvalidResponseError);
  expect(() => parseBundle(json)).toThrow(message);
});

describe('Offline,', () => {
  const verifyOffline = async (...[given, options]: Parameters<typeof verifyBundle>) => {
    const originalFetch = globalThis.fetch;
    globalThis.fetch = () => Promise.reject(new Error('there is no network'));
    try {
      return await verifyBundle(given, options);
    } finally {
      globalThis.fetch = originalFetch;
    }
  };

  test('a bundle is verified by its manifest, and copies are reported as copies', async () => {
    const { verdict, checks } = await verifyOffline(bundle, { fingerprint, trustAnchorsPem });
    expect(verdict).toBe('verified');
    expect([checks.registry.state, checks.chain.state, checks.manifest.state]).toEqual([
      'unavailable',
      'unavailable',
      'confirmed',
    ]);
    for (const copy of [checks.registry, checks.chain]) {
      expect(copy.proves).toContain('only as reliable as the creator of the bundle');
    }
    expect(checks.chain.details).toMatchObject({ transactionHash: bundle.artifact?.transactionHash });
  });

  test('a bundle made without an account has the public record and is verified', async () => {
    expect(strangersBundle.artifact).toMatchObject({ createdBy: { name: 'Ada' } });
    expect((await verifyOffline(strangersBundle)).verdict).toBe('verified');
  });

  test.each<[string, object, 'registry' | 'chain' | 'manifest']>([
    ['with the manifest of another file', { manifest: othersBundle.manifest }, 'manifest'],
    ['with the record of another Artifact', { artifact: othersBundle.artifact }, 'registry'],
    ['with the report of another manifest', { report: othersBundle.report }, 'registry'],
    ['with the chain record of another file', { chain: othersBundle.chain }, 'chain'],
    [
      'with a chain entry that does not match its receipt',
      {
        chain: bundle.chain && {
          ...bundle.chain,
          entry: { ...bundle.chain.entry, manifestId: othersBundle.manifestId },
        },
      },
      'chain',
    ],
    ['with another block', { chain: bundle.chain && { ...bundle.chain, block: othersBundle.chain?.block } }, 'chain'],
    [
      'with a record that does not match the hash in the chain entry',
      { artifact: bundle.artifact && { ...bundle.artifact, metadata: { ...bundle.artifact.metadata, filename: 'x' } } },
      'registry',
    ],
  ])('a bundle %s is contradicted', async (_, change, check) => {
    const { verdict, checks } = await verifyOffline(changeBundle(change));
    expect([verdict, checks[check].state]).toEqual(['contradicted', 'contradicted']);
  });

  test('a bundle of another file is contradicted', async () => {
    const { verdict, checks } = await verifyOffline(bundle, { fingerprint: other });
    expect([verdict, checks.manifest.reason]).toEqual([
      'contradicted',
      `The manifest is for another file: ${fingerprint}.`,
    ]);
  });
});

describe('With a node of the chain,', () => {
  test('the chain record of a bundle is checked, and confirmed', async () => {
    const { verdict, checks } = await verifyBundle(bundle, { fingerprint, chain });
    expect([verdict, checks.chain.state]).toEqual(['verified', 'confirmed']);
    expect(checks.chain.proves).toContain('The address of the contract comes from the bundle');
    const known = await verifyBundle(bundle, { fingerprint, chain: { rpcUrl, address } });
    expect(known.checks.chain.proves).not.toContain('comes from the bundle');
  });

  test('a forged bundle is contradicted', async () => {
    if (!bundle.chain) throw new Error('there is no chain record');
    const { receipt: _, block: __, ...record } = bundle.chain;
    const forged = changeBundle({
      chain: { ...record, entry: { ...record.entry, timestamp: record.entry.timestamp - 1000 } },
    });
    expect((await verifyBundle(forged)).verdict).toBe('verified');
    const { verdict, checks } = await verifyBundle(forged, { chain });
    expect([verdict, checks.chain.reason]).toEqual([
      'contradicted',
      expect.stringContaining('The bundle says that the chain'),
    ]);
    const elsewhere = await withUnregisteredFile(forged);
    expect(
      (await verifyBundle(elsewhere, { fingerprint: elsewhere.fingerprint, chain })).checks.chain.reason,
    ).toContain('the contract has no entry for it');
  });

  async function withUnregisteredFile(forged: Bundle): Promise<Bundle> {
    return { ...forged, fingerprint: newFile().fingerprint };
  }
});
