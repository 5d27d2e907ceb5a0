// A creation that takes so long that its draft is abandoned meanwhile.

import { defaultTiers } from '@provenance-registry/core';
import { expect, it, onTestFinished } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { openDatabase } from '../../src/database/connection.js';
import { createStore } from '../../src/database/store.js';
import { createUseBuffers } from '../../src/database/useBuffer.js';
import { createArtifact } from '../../src/domain/artifacts/createArtifact.js';
import { watchStatuses } from '../../src/domain/artifacts/statusChanges.js';
import { createMarkListCache } from '../../src/domain/marks/markListCache.js';
import type { Ports } from '../../src/domain/ports/index.js';
import { openDiskStore } from '../../src/files/disk.js';
import { domainTokens, linkTokens, recipientTokens, webhookSecrets } from '../../src/identity/derivedSecrets.js';
import { scryptPasswords } from '../../src/identity/passwords.js';
import { bearerTokens } from '../../src/identity/tokens.js';
import { createTotp } from '../../src/identity/totp.js';
import { createMailQueue } from '../../src/mail/mailQueue.js';
import { noTracing } from '../../src/monitoring/tracing.js';
import { createWebhookTargets } from '../../src/webhooks/targets.js';
import { insertOwner } from '../support/owners.js';

it('A creation whose draft is abandoned while it signs begins its draft again', async () => {
  const database = openDatabase({ connectionString: await createMigratedDatabase() });
  onTestFinished(() => database.destroy());
  const store = createStore(database, createUseBuffers(database));
  const { user, markId } = await insertOwner(store);
  let now = new Date();
  const clock = () => now;
  const files = await openDiskStore(await temporaryFolder());
  const ports: Ports = {
    store,
    passwords: scryptPasswords(),
    commonPasswords: new Set(),
    totp: createTotp('a secret for this test only, made up', 'Registry'),
    tokens: bearerTokens('a secret for this test only, made up', undefined),
    linkTokens: linkTokens('a secret for this test only, made up'),
    recipientTokens: recipientTokens('a secret for this test only, made up'),
    domainTokens: domainTokens('a secret for this test only, made up'),
    webhookSecrets: webhookSecrets('a secret for this test only, made up'),
    webhookTargets: createWebhookTargets({ dnsServers: undefined, allowsLoopback: false }),
    mail: createMailQueue({ isEnabled: false }),
    log: {
      readReceipt: async () => undefined,
      findAnchor: async () => undefined,
      readLastAnchor: async () => undefined,
    },
    clock,
    tiers: defaultTiers,
    billing: 'self-serve',
    markListCache: createMarkListCache(clock, store.marks.listWritableBy),
    files,
    manifests: {
      activeOnly: (sidecar) => sidecar,
      readStatements: () => ({ isNamed: true, manifestIds: new Set(), domains: new Set() }),
      readSignature: () => {
        throw new Error('no signature is read here');
      },
      async create({ artifactId }) {
        now = new Date(now.getTime() + 31_000);
        expect(await store.drafts.abandon(artifactId, async () => {})).toBe(true);
        return { sidecar: Buffer.from('c2pa'), report: Buffer.from('{}'), card: Buffer.from('png') };
      },
    },
    embedder: { typeFor: () => undefined, embed: () => Promise.reject(new Error('nothing is embedded here')) },
    manifestInspector: { inspect: async () => undefined },
    media: { inspect: async () => ({ kind: 'other', mediaType: undefined }) },
    imageIndex: { search: async () => [] },
    soundIndex: { isReadable: () => true, search: async () => [] },
    chain: {
      registry: { resolve: async () => undefined },
      registrations: { read: async () => undefined },
      check: async () => {},
    },
    claimEvidence: {
      trustId: '',
      check: () => Promise.reject(new Error('nothing is contested here')),
      recheck: () => Promise.reject(new Error('nothing is contested here')),
    },
    certificates: { issue: () => Promise.reject(new Error('nothing is certified here')) },
    statusChanges: watchStatuses(store.artifacts),
    feedChanges: { waitForEvents: async () => {} },
    work: { announce: () => {} },
    tracer: noTracing,
    baseUrl: 'http://127.0.0.1',
    cdnUrl: 'http://127.0.0.1/cdn',
  };
  const request = { markId, fingerprint: newFingerprint(), filename: 'slow.jpg' };
  const { artifact } = await createArtifact(
    ports,
    { user, keyId: undefined, keyOrganizationId: undefined, keyScope: null, session: undefined },
    request,
  );
  expect(await store.artifacts.findById(artifact.id)).toMatchObject({ status: 'pending' });
  expect(Buffer.from((await files.read(`${artifact.id}.c2pa`)) ?? []).toString()).toBe('c2pa');
});
