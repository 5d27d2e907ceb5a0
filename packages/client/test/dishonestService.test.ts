// Verification against a dishonest service. The lie table (support/lieTable.ts) has every field; here are the reasons that users read.

import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import {
  LISTS,
  listOnly,
  startTamperingProxy,
  type Tampering,
  type Tamperings,
} from '../../../test/support/tamperingProxy.js';
import { createClient, verify } from '../src/index.js';
import { respondText, startScriptedServer } from './support/scriptedServer.js';
import { factsOf, startVerifiedService, states } from './support/verifiedService.js';

const { service, stranger, ada, rpcUrl, chain, trustAnchorsPem, registerFile } = await startVerifiedService();
const photo = await registerFile();
const other = await registerFile();

describe('A dishonest service', () => {
  const match = { manifestId: photo.id, endpoint: 'http://x', similarityScore: 100 };
  const changeRecord =
    (change: Tampering): Tampering =>
    (honest) => ({ ...honest, ...Object(change(honest)) });
  /** Says that it hides a part of the record, which cannot be compared with the hash on chain then. */
  const redact = (metadata: object) =>
    changeRecord((honest) => {
      const { filename: _, ...rest } = Object(honest.metadata);
      return { contentVisibility: 'private', createdBy: null, metadata: { ...rest, ...metadata } };
    });
  const replaceText = (one: string, other: string) => (honest: Uint8Array) =>
    Uint8Array.from(Buffer.from(Buffer.from(honest).toString('latin1').replace(one, other), 'latin1'));
  const preferencesOf = (record: object) => ('aiPreferences' in record ? Object(record.aiPreferences) : {});
  const mark = { id: '11111111-1111-4111-8111-111111111111', name: 'Another' };

  test.each<[string, Tamperings, string, string]>([
    [
      'that names another manifest is contradicted by the chain',
      { json: { [LISTS]: listOnly({ fingerprint: photo.fingerprint, manifestId: other.id }) } },
      'MANIFEST_ID_MISMATCH',
      `The service names the manifest ${other.id}, but the chain has ${photo.id}.`,
    ],
    [
      'that denies having a record is contradicted by the chain',
      { json: { [LISTS]: listOnly() } },
      'UNKNOWN_TO_SERVICE',
      'The service has no record of this file, but the chain has the manifest',
    ],
    [
      'that presents a curated entry as a public one is contradicted by the chain',
      {
        json: {
          [LISTS]: listOnly({ fingerprint: photo.fingerprint, manifestId: photo.id, source: 'public' }),
          '/api/c2pa/matches': () => ({ matches: [{ ...match, source: 'public' }] }),
        },
      },
      'SOURCE_MISMATCH',
      'The service says that the entry on chain is public, but it is curated',
    ],
    [
      'that shows another license than it recorded is contradicted',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ license: { name: 'Mine', url: null } })) } },
      'RECORD_MISMATCH',
      'another license',
    ],
    [
      'that shows another AI preference than the signed one is contradicted',
      {
        json: {
          '/api/v1/public/artifacts': changeRecord((honest) => ({
            aiPreferences: {
              ...preferencesOf(honest),
              data_mining: { use: 'constrained', constraint: 'Ask Mallory.' },
            },
          })),
        },
      },
      'CLAIMS_MISMATCH',
      'The service says that the preference for data_mining is "constrained: Ask Mallory.", but the signed manifest says "allowed".',
    ],
    [
      'that shows no AI preference where the signed one is stated is contradicted',
      {
        json: {
          '/api/v1/public/artifacts': changeRecord((honest) => ({
            aiPreferences: { ...preferencesOf(honest), ai_inference: null },
          })),
        },
      },
      'CLAIMS_MISMATCH',
      'The service says that the preference for ai_inference is "not specified", but the signed manifest says "allowed".',
    ],
    [
      'whose AI preferences contradict each other is contradicted',
      {
        json: {
          '/api/v1/public/artifacts': changeRecord((honest) => ({
            aiPreferences: { ...preferencesOf(honest), ai_training: { use: 'notAllowed' } },
          })),
        },
      },
      'RECORD_MISMATCH',
      'another AI training preference',
    ],
    [
      'that shows another Mark in its record is contradicted by the hash on chain',
      {
        json: {
          '/api/v1/public/artifacts': changeRecord((honest) => ({
            mark: { ...honest.mark, ...mark },
            metadata: { ...honest.metadata, mark },
          })),
        },
      },
      'METADATA_MISMATCH',
      'does not match the hash on chain',
    ],
    [
      'that says that the registration failed is contradicted by the chain',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ status: 'failed' })) } },
      'STATUS_MISMATCH',
      'The service says that the registration is failed, but it is on chain.',
    ],
    [
      'that says that it recorded the file earlier is contradicted by the time-stamp',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ createdAt: '2001-01-01T00:00:00.000Z' })) } },
      'TIME_MISMATCH',
      'The service says that it recorded the file at 2001-01-01T00:00:00.000Z, but the manifest was signed at',
    ],
    [
      'that shows another transaction is contradicted by the log of the chain',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ transactionHash: `0x${'1'.repeat(64)}` })) } },
      'TRANSACTION_MISMATCH',
      'but it was 0x',
    ],
    [
      'that names another contract is contradicted by a caller who knows the address',
      { json: { '/c2pa/contract': changeRecord(() => ({ address: `0x${'11'.repeat(20)}` })) } },
      'CONTRACT_MISMATCH',
      'The service names the contract 0x1111',
    ],
    [
      'that changes the filename in the manifest is contradicted by the signature',
      { sidecar: replaceText('sunrise.jpg', 'sunriso.jpg') },
      'MANIFEST_INVALID',
      'The manifest is not valid: claimSignature.mismatch',
    ],
    [
      'that serves something other than a manifest is contradicted',
      { sidecar: () => new TextEncoder().encode('not a manifest') },
      'MANIFEST_UNREADABLE',
      'The manifest cannot be read',
    ],
  ])('%s', async (_, tamperings, code, reason) => {
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, tamperings) });
    const { verdict, problems, facts } = await verify(photo.fingerprint, { client, chain, trustAnchorsPem });
    expect(verdict).toBe('contradicted');
    expect(problems).toContainEqual(expect.objectContaining({ code, reason: expect.stringContaining(reason) }));
    expect(facts.filter(({ evidence }) => evidence.includes('service'))).toEqual([]);
  });

  test('that serves the manifest of another file is contradicted by the hash in it, even without the chain', async () => {
    const otherManifest = await stranger.manifestBytes(other.id);
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { sidecar: () => otherManifest }) });
    const { verdict, problems } = await verify(photo.fingerprint, { client });
    expect([verdict, problems[0]?.reason]).toEqual([
      'contradicted',
      `The manifest is for another file: ${other.fingerprint}.`,
    ]);
  });

  test('that claims redaction shows its own word as such, and is contradicted where the manifest knows better', async () => {
    const author = { id: mark.id, name: 'Mallory' };
    const verifyWith = async (change: Tampering) => {
      const baseUrl = await startTamperingProxy(service.url, { json: { '/api/v1/public/artifacts': change } });
      return verify(photo.fingerprint, { client: createClient({ baseUrl }), chain, trustAnchorsPem });
    };
    const redacted = await verifyWith(redact({ size: 7 }));
    expect(factsOf(redacted)).toMatchObject({ author: ['Ada', 'manifest'], authorId: [expect.any(String), 'service'] });
    const forged = await verifyWith(redact({ author }));
    expect(forged.problems).toContainEqual({
      source: 'registry',
      code: 'CLAIMS_MISMATCH',
      reason: 'The service says that the author is "Mallory", but the signed manifest says "Ada".',
    });
  });

  test.each<[string, NonNullable<Tamperings['sidecar']>]>([
    ['does not validate', replaceText('sunrise.jpg', 'sunriso.jpg')],
    ['cannot be read', () => new TextEncoder().encode('not a manifest')],
  ])(
    'that claims redaction beside a manifest that %s is contradicted, and its Mark and license are no facts',
    async (_, sidecar) => {
      const json = { '/api/v1/public/artifacts': redact({ mark: { id: ada.markId, name: 'Mallory' } }) };
      const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json, sidecar }) });
      const { verdict, facts } = await verify(photo.fingerprint, { client, chain });
      expect([verdict, facts.map(({ name }) => name)]).toEqual(['contradicted', ['registrar', 'since']]);
    },
  );

  test('that claims a registration on chain is contradicted when there is none', async () => {
    const { fingerprint } = newFile();
    const honest = await ada.client.getArtifact({ fingerprint: photo.fingerprint });
    const json = {
      [LISTS]: listOnly({ fingerprint, manifestId: photo.id }),
      '/api/v1/public/artifacts': () => ({ ...honest, fingerprint }),
    };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const { problems } = await verify(fingerprint, { client, chain });
    expect(problems).toContainEqual(expect.objectContaining({ code: 'NOT_ON_CHAIN' }));
  });

  test('that names a contract that does not exist is contradicted by a node that the caller named', async () => {
    const json = { '/c2pa/contract': changeRecord(() => ({ address: `0x${'11'.repeat(20)}` })) };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const { problems } = await verify(photo.fingerprint, { client, chain: { rpcUrl } });
    expect(problems).toContainEqual(expect.objectContaining({ source: 'chain', code: 'CONTRACT_MISMATCH' }));
  });

  test('is not one behind a captive portal: it could not be checked', async () => {
    const portal = await startScriptedServer(respondText(200, '<h1>Log in to the network</h1>'));
    const client = createClient({ baseUrl: portal.url });
    expect(states(await verify(photo.fingerprint, { client }))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    expect((await verify(photo.fingerprint, { client, chain, trustAnchorsPem })).verdict).toBe('verified');
  });
});

test('with trust anchors, a manifest of another signer is contradicted', async () => {
  const command = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=Another'];
  const others = execFileSync('openssl', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { verdict, checks } = await verify(photo.fingerprint, { client: stranger, trustAnchorsPem: others });
  expect([verdict, checks.manifest.reason]).toEqual([
    'contradicted',
    'It was signed by "Development signer, Provenance registry", which is not a signer that you trust.',
  ]);
});
