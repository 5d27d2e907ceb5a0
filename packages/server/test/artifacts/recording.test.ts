// Batches of Artifacts in a real database: each has the same result as if it were recorded alone.

import { licenses, type User } from '@provenance-registry/core';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { prepareRow, recordArtifacts } from '../../src/database/queries/artifacts/artifactRecorder.js';
import { ChainOutboxQueries } from '../../src/database/queries/artifacts/chainOutbox.js';
import { ImageHashQueries } from '../../src/database/queries/lookups/imageHashes.js';
import { createStore } from '../../src/database/store.js';
import { createUseBuffers } from '../../src/database/useBuffer.js';
import type { ArtifactQuota, NewArtifact, Store } from '../../src/domain/ports/index.js';
import { newLogEntry } from '../support/logEntries.js';
import { insertOwner } from '../support/owners.js';

let url: string;
let database: Database;
let store: Store;
let user: User;
let markId: string;

beforeAll(async () => {
  url = await createMigratedDatabase();
  database = openDatabase({ connectionString: url });
  store = createStore(database, createUseBuffers(database));
});
afterAll(() => database.destroy());

beforeEach(async () => {
  ({ user, markId } = await insertOwner(store));
});

const quota = (limits = { daily: 100, lifetime: -1 }): ArtifactQuota => ({
  ownerId: user.id,
  billingUserId: user.id,
  tier: 'free',
  limits,
});

/** An Artifact whose files are published and that is not recorded yet. */
async function publishArtifact(changes: Partial<NewArtifact> = {}): Promise<NewArtifact> {
  const fingerprint = changes.fingerprint ?? newFingerprint();
  const artifact: NewArtifact = {
    id: randomUUID(),
    markId,
    createdBy: user.id,
    accessVersion: 0,
    visibility: 'public',
    createdAt: new Date(),
    fingerprint,
    logEntry: newLogEntry(fingerprint),
    manifestHash: newFingerprint(),
    traceContext: undefined,
    authorshipStated: false,
    aiPreferences: null,
    metadata: {
      filename: 'a\\b "c" \u{1f600}.jpg',
      mediaType: null,
      size: null,
      kind: 'other',
      license: licenses.NONE_SPECIFIED,
      licenseKey: 'NONE_SPECIFIED',
      allowAiTraining: null,
      author: { id: user.id, name: user.name },
      mark: { id: markId, name: 'Ada Lovelace Photography' },
    },
    idempotency: undefined,
    quota: quota(),
    ...changes,
  };
  const draft = { artifactId: artifact.id, fingerprint: artifact.fingerprint, ownerId: user.id };
  expect(await store.drafts.begin(draft)).toBe(true);
  return artifact;
}

const idempotency = (key: string): NewArtifact['idempotency'] => ({
  callerId: user.id,
  key,
  since: new Date(Date.now() - 60_000),
  requestHash: newFingerprint(),
  response: { id: key },
});

const count = async (sql: string, values: unknown[]) => Number((await query(url, sql, values))[0]?.['count']);
const draftsOf = (artifacts: readonly NewArtifact[]) =>
  count('select count(*) from drafts where artifact_id = any($1)', [artifacts.map(({ id }) => id)]);
const counted = async () => {
  const { dailyArtifacts, lifetimeArtifacts } = await store.counters.read(user.id, new Date());
  return [dailyArtifacts, lifetimeArtifacts];
};

/** In one batch. */
async function recordAll(artifacts: readonly NewArtifact[]) {
  const results = await recordArtifacts(database, artifacts.map(prepareRow));
  return results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected'));
}

describe('Artifacts of one owner', () => {
  it('are recorded in one transaction, each completely', async () => {
    const artifacts = [
      await publishArtifact(),
      await publishArtifact({ idempotency: idempotency('k') }),
      await publishArtifact(),
    ];
    expect(await recordAll(artifacts)).toEqual(['recorded', 'recorded', 'recorded']);
    for (const { id, fingerprint, metadata, createdAt } of artifacts) {
      const stored = await store.artifacts.findById(id);
      expect(stored).toMatchObject({ fingerprint, metadata, createdAt, markId, status: 'pending' });
    }
    const ids = [artifacts.map(({ id }) => id)];
    expect(await count('select count(distinct xmin::text) from artifacts where id = any($1)', ids)).toBe(1);
    expect(await count('select count(*) from outbox where artifact_id = any($1)', ids)).toBe(3);
    expect(await store.idempotencyRecords.find(user.id, 'k', new Date(0))).toMatchObject({ artifactId: 'k' });
    expect(await draftsOf(artifacts)).toBe(0);
    expect(await counted()).toEqual([3, 3]);
    expect((await store.marks.find(markId))?.artifactCount).toBe(3);
  });

  const duplicateFingerprint = async () => {
    const first = await publishArtifact();
    const second = await publishArtifact({ fingerprint: first.fingerprint });
    await store.artifacts.record(first);
    return [await publishArtifact(), second, await publishArtifact()];
  };
  const repeatedFingerprint = async () => {
    const first = await publishArtifact();
    return [first, await publishArtifact({ fingerprint: first.fingerprint }), await publishArtifact()];
  };
  const abandonedDraft = async () => {
    const artifacts = [await publishArtifact(), await publishArtifact(), await publishArtifact()];
    await store.drafts.abandon(artifacts[1]?.id ?? '', async () => {});
    return artifacts;
  };
  const usedKey = async () => {
    await store.artifacts.record(await publishArtifact({ idempotency: idempotency('old') }));
    return [
      await publishArtifact({ idempotency: idempotency('new') }),
      await publishArtifact({ idempotency: idempotency('old') }),
      await publishArtifact(),
    ];
  };
  const repeatedKey = async () => [
    await publishArtifact({ idempotency: idempotency('same') }),
    await publishArtifact({ idempotency: idempotency('same') }),
    await publishArtifact({ idempotency: idempotency('other') }),
  ];
  const overQuota = async (limits: ArtifactQuota['limits']) => [
    await publishArtifact({ quota: quota(limits) }),
    await publishArtifact({ quota: quota(limits) }),
    await publishArtifact({ quota: quota(limits) }),
  ];
  const changedTier = async () => [
    await publishArtifact(),
    await publishArtifact({ quota: { ...quota(), tier: 'creator' } }),
    await publishArtifact(),
  ];

  const lostAccess = async () => [
    await publishArtifact(),
    await publishArtifact({ accessVersion: 1 }),
    await publishArtifact(),
  ];

  it.each([
    ['fingerprint has an Artifact', duplicateFingerprint, ['recorded', 'duplicate', 'recorded'], 1],
    ['fingerprint is in the batch twice', repeatedFingerprint, ['recorded', 'duplicate', 'recorded'], 0],
    ['draft was abandoned', abandonedDraft, ['recorded', 'abandoned', 'recorded'], 0],
    ['idempotency key was used before', usedKey, ['recorded', 'keyUsed', 'recorded'], 1],
    ['idempotency key is in the batch twice', repeatedKey, ['recorded', 'keyUsed', 'recorded'], 0],
    ['tier has changed', changedTier, ['recorded', 'tierChanged', 'recorded'], 0],
    ['access was authorized at another version', lostAccess, ['recorded', 'accessChanged', 'recorded'], 0],
    [
      'daily limit is reached',
      () => overQuota({ daily: 2, lifetime: -1 }),
      ['recorded', 'recorded', 'quotaExceeded'],
      0,
    ],
    [
      'lifetime limit is reached',
      () => overQuota({ daily: -1, lifetime: 2 }),
      ['recorded', 'recorded', 'quotaExceeded'],
      0,
    ],
  ] as const)('are recorded, except for one whose %s', async (_, prepare, outcomes, before) => {
    const artifacts = await prepare();
    expect(await recordAll(artifacts)).toEqual(outcomes);
    const found = await Promise.all(
      artifacts.map(async ({ id }) => (await store.artifacts.findById(id)) !== undefined),
    );
    expect(found).toEqual(outcomes.map((outcome) => outcome === 'recorded'));
    expect(await counted()).toEqual([2 + before, 2 + before]);
  });

  it('are recorded, except for one that the database refuses', async () => {
    const artifacts = [
      await publishArtifact(),
      await publishArtifact({ createdBy: randomUUID() }),
      await publishArtifact(),
    ];
    expect(await recordAll(artifacts)).toEqual(['recorded', 'rejected', 'recorded']);
    expect(await counted()).toEqual([2, 2]);
    expect(await draftsOf(artifacts)).toBe(1);
  });

  it('count for the day on which they were created', async () => {
    const day = 24 * 60 * 60 * 1000;
    const today = await publishArtifact();
    const yesterday = await publishArtifact({ createdAt: new Date(Date.now() - day) });
    expect(await recordAll([yesterday, today])).toEqual(['recorded', 'recorded']);
    expect(await counted()).toEqual([1, 2]);
  });
});

describe('a rendition', () => {
  const newSignedCopy = (fingerprint = newFingerprint()) => ({
    id: randomUUID(),
    fingerprint,
    mediaType: 'image/png',
    logEntry: newLogEntry(fingerprint, { kind: 'rendition' }),
  });
  const addSignedCopy = ({ id: artifactId }: NewArtifact) =>
    store.artifacts.recordSignedCopy({
      ...newSignedCopy(),
      artifactId,
      markId,
      accessVersion: 0,
      visibility: 'public',
      createdBy: user.id,
      createdAt: new Date(),
      traceContext: undefined,
    });
  const statuses = (artifact: NewArtifact) =>
    query<{ status: number; queued: boolean }>(
      url,
      `select status, exists (select 1 from outbox where artifact_id = artifacts.id) as queued
       from artifacts where rendition_of = $1`,
      [artifact.id],
    );

  it('is recorded and queued with its Artifact, and not counted', async () => {
    const traceContext = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const signedCopy = newSignedCopy();
    const artifacts = [await publishArtifact({ signedCopy, traceContext }), await publishArtifact()];
    expect(await recordAll(artifacts)).toEqual(['recorded', 'recorded']);
    const found = await store.artifacts.find(signedCopy.fingerprint);
    expect(found).toMatchObject({
      id: artifacts[0]?.id,
      renditions: [{ fingerprint: signedCopy.fingerprint, mediaType: 'image/png', status: 'pending' }],
    });
    const holder = { kind: 'artifact', artifactId: artifacts[0]?.id };
    expect(await store.lookups.findHolder(signedCopy.fingerprint)).toEqual(holder);
    expect(await store.artifacts.findById(signedCopy.id)).toBeUndefined();
    const queued = await query(url, 'select trace_context from outbox where artifact_id = $1', [signedCopy.id]);
    expect(queued).toEqual([{ trace_context: traceContext }]);
    expect(await counted()).toEqual([2, 2]);
    const page = await store.artifacts.list({ markId, status: undefined, limit: 10, after: undefined });
    expect(page?.map(({ id }) => id).sort()).toEqual(artifacts.map(({ id }) => id).sort());
  });

  it('that has the fingerprint of another file keeps its Artifact from being recorded', async () => {
    const [first, second] = [await publishArtifact(), await publishArtifact()];
    await store.artifacts.record(first);
    const signedCopy = newSignedCopy(first.fingerprint);
    expect(await store.artifacts.record({ ...second, signedCopy })).toBe('duplicate');
    expect(await store.artifacts.findById(second.id)).toBeUndefined();
    expect(await draftsOf([second])).toBe(1);
    expect(await counted()).toEqual([1, 1]);
  });

  it('is recorded three times for an Artifact, however many are requested at once', async () => {
    const artifact = await publishArtifact();
    expect(await addSignedCopy(artifact)).toBe('gone');
    await store.artifacts.record(artifact);
    const results = await Promise.all(Array.from({ length: 8 }, () => addSignedCopy(artifact)));
    expect(results.filter((result) => result === 'recorded')).toHaveLength(3);
    expect(results.filter((result) => result === 'full')).toHaveLength(5);
    expect(await statuses(artifact)).toEqual(Array.from({ length: 3 }, () => ({ status: 0, queued: true })));
  });

  it.each([
    ['before', 'recorded', [{ status: 3, queued: false }]],
    ['after', 'gone', []],
  ] as const)('that is recorded just %s its Artifact fails is not left behind', async (moment, result, left) => {
    const artifact = await publishArtifact();
    await store.artifacts.record(artifact);
    const queue = new ChainOutboxQueries(database);
    const lease = { name: artifact.id, holder: 'this test', ms: 60_000 };
    await queue.acquireLease(lease);
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from artifacts where id = $1 for update', [artifact.id]);
    const waiting = async () => {
      const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await query(url, sql)).length;
    };
    const fail = () => queue.settle(lease, { failed: [{ artifactId: artifact.id, reason: 'No.' }] });
    const add = () => addSignedCopy(artifact);
    // Locks are granted in the order of their requests.
    const first = moment === 'before' ? add() : fail();
    await expect.poll(waiting).toBe(1);
    const second = moment === 'before' ? fail() : add();
    await expect.poll(waiting).toBe(2);
    await blocker.query('commit');
    await blocker.end();
    expect(await Promise.all([first, second])).toContain(result);
    expect(await statuses(artifact)).toEqual(left);
    expect(await counted()).toEqual([0, 0]);
  });
});

describe('the codes of an image', () => {
  const imageHashes = { pHash: '0xc3b1f0a46f7e4a53', dHash: '0x1e4bb0c95d2e8f1a', pHashCenter80: '0x8000000000000001' };
  const publishImage = async (changes: Partial<NewArtifact> = {}) => {
    const artifact = await publishArtifact(changes);
    return { ...artifact, metadata: { ...artifact.metadata, ...imageHashes, hashesBy: 'client' as const } };
  };
  const findSequences = async () => {
    const rows = await query<{ sequence: number }>(
      url,
      `select sequence::float8 as sequence from image_codes join artifacts on id = artifact_id
       where mark_id = $1 order by sequence`,
      [markId],
    );
    return rows.map(({ sequence }) => sequence);
  };

  it('are recorded with it, and a refused creation takes none of their numbers', async () => {
    const limited = { quota: quota({ daily: 2, lifetime: -1 }) };
    expect(await recordAll([await publishImage(limited), await publishArtifact(limited)])).toEqual([
      'recorded',
      'recorded',
    ]);
    expect(await recordAll([await publishImage(limited)])).toEqual(['quotaExceeded']);
    const image = await publishImage();
    expect(await recordAll([image])).toEqual(['recorded']);
    const [first = 0, second = 0, ...others] = await findSequences();
    expect([second, others]).toEqual([first + 1, []]);
    const page = await new ImageHashQueries(database).readAfter(first, 10);
    expect(page.sequences).toEqual([second]);
    expect(page.hashes.map((hash) => `0x${Buffer.from(hash).toString('hex')}`)).toEqual([
      imageHashes.pHash,
      '0x0000000000000000',
      imageHashes.pHashCenter80,
      imageHashes.dHash,
    ]);
  });

  it('are shown while Artifact and Mark are public and the Artifact has not failed', async () => {
    const image = await publishImage();
    await recordAll([image, await publishArtifact()]);
    const sequences = await findSequences();
    const isVisible = async () => (await store.imageHashes.findVisible(sequences)).size === 1;
    const visible = { artifactId: image.id, fingerprint: image.fingerprint, markId, createdAt: image.createdAt };
    expect([...(await store.imageHashes.findVisible(sequences)).values()]).toEqual([
      { ...visible, hashesBy: 'client' },
    ]);
    const changes = [
      ['artifacts', image.id, 'content_private = true', 'content_private = false'],
      ['marks', markId, `visibility = 'private'`, `visibility = 'public'`],
      ['artifacts', image.id, `status = 3, error_reason = 'No.'`, 'status = 0, error_reason = null'],
    ];
    for (const [table, id, hide, show] of changes) {
      await query(url, `update ${table} set ${hide} where id = $1`, [id]);
      expect(await isVisible()).toBe(false);
      await query(url, `update ${table} set ${show} where id = $1`, [id]);
      expect(await isVisible()).toBe(true);
    }
  });

  it('are listed with the other Artifacts of a Mark, the newest first', async () => {
    const image = await publishImage({ createdAt: new Date(Date.now() - 1_000) });
    const other = await publishArtifact();
    await recordAll([image, other]);
    const list = (after?: string) => store.imageHashes.listOfMark({ markId, after, limit: 1 });
    const { fingerprint, metadata, createdAt } = image;
    const searched = { fingerprint, createdAt, filename: metadata.filename, chromaprint: undefined };
    const { pHash, dHash, pHashCenter80 } = imageHashes;
    expect(await list()).toMatchObject([{ artifactId: other.id, images: [] }]);
    expect(await list(other.id)).toEqual([
      {
        artifactId: image.id,
        ...searched,
        images: [
          { pHash, dHash },
          { pHash: pHashCenter80, dHash },
        ],
      },
    ]);
    expect(await list(image.id)).toEqual([]);
    expect(await list(randomUUID())).toBeUndefined();
  });
});

describe('a draft', () => {
  it('does not begin for a fingerprint that has an Artifact', async () => {
    const first = await publishArtifact();
    await store.artifacts.record(first);
    const again = { artifactId: randomUUID(), fingerprint: first.fingerprint, ownerId: user.id };
    const other = { artifactId: randomUUID(), fingerprint: newFingerprint(), ownerId: user.id };
    expect(await Promise.all([store.drafts.begin(again), store.drafts.begin(other)])).toEqual([false, true]);
    expect(await count('select count(*) from drafts where artifact_id = $1', [again.artifactId])).toBe(0);
  });
});
