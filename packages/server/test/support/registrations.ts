// Artifacts waiting for the chain in a database of their own, and checks of their registration.

import { contentRegistryAbi } from '@provenance-registry/contract';
import { artifactStatusCode } from '@provenance-registry/core';
import pg from 'pg';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { decodeEventLog, encodeFunctionData, type Hex, toEventSelector } from 'viem';
import { expect } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import type { TestChain } from './testChain.js';

export interface TestArtifact {
  readonly id: string;
  readonly fingerprint: Hex;
  readonly manifestHash: Hex;
}

interface AddOptions {
  readonly createdAt?: Date;
  readonly fingerprint?: Hex;
  /** They are renditions of this Artifact, which do not count. */
  readonly renditionOf?: TestArtifact | undefined;
}

interface ArtifactRow {
  readonly id: string;
  readonly rendition_of: string | null;
  readonly fingerprint: Hex;
  readonly status: number;
  readonly transaction_hash: Hex | null;
  readonly error_reason: string | null;
}

export interface TestOutbox {
  readonly url: string;
  readonly database: Database;
  readonly userId: string;
  add(count: number, options?: AddOptions): Promise<TestArtifact[]>;
  rows(): Promise<ArtifactRow[]>;
  counters(): Promise<{ lifetime: number; daily: number; ofMark: number }>;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** How many other connections wait for a lock. */
  waitingForLocks(): Promise<number>;
  /** How many Artifacts are in each status. */
  countByStatus(): Promise<Record<string, number>>;
  untilAll(status: 'submitting' | 'submitted' | 'failed', artifacts?: readonly TestArtifact[]): Promise<void>;
  close(): Promise<void>;
}

export async function openOutbox(): Promise<TestOutbox> {
  const url = await createMigratedDatabase();
  const database = openDatabase({ connectionString: url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const [userId, markId] = [randomUUID(), randomUUID()];
  await client.query(`insert into users (id, name) values ($1, 'Ada')`, [userId]);
  await client.query('insert into counters (owner_id) values ($1)', [userId]);
  await client.query(
    `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
     values ($1, 'Mark', 'mark', 'public', 'NONE_SPECIFIED', $2, $2)`,
    [markId, userId],
  );
  await client.query('insert into mark_counters (mark_id) values ($1) on conflict do nothing', [markId]);
  // Records every status change, so that a change back between two queries is not missed.
  await client.query(`
    create table status_steps (id bigint generated always as identity, artifact_id uuid, old smallint, new smallint);
    create function note_step() returns trigger language plpgsql as $$
    begin
      insert into status_steps (artifact_id, old, new) values (new.id, old.status, new.status);
      return new;
    end $$;
    create trigger note_step before update on artifacts for each row
      when (old.status is distinct from new.status) execute function note_step();`);

  const outbox: TestOutbox = {
    url,
    database,
    userId,
    async add(count, { createdAt = new Date(), fingerprint, renditionOf } = {}) {
      const artifacts = Array.from({ length: count }, () => ({
        id: randomUUID(),
        fingerprint: fingerprint ?? randomHash(),
        manifestHash: renditionOf?.manifestHash ?? randomHash(),
      }));
      await client.query(
        `with made as (
           insert into artifacts (id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, rendition_of)
           select id, $1, $2, $3, decode(substr(fingerprint, 3), 'hex'), decode(substr(hash, 3), 'hex'), '{}', $8::uuid
           from unnest($4::uuid[], $5::text[], $6::text[]) as given (id, fingerprint, hash)
           returning id, created_at
         ), counted as (
           update counters set lifetime_artifacts = lifetime_artifacts + $7, daily_artifacts = daily_artifacts + $7
           where owner_id = $2
         ), counted_of_mark as (
           update mark_counters set artifacts = artifacts + $7 where mark_id = $1
         )
         insert into outbox (artifact_id, created_at) select id, created_at from made`,
        [
          markId,
          userId,
          createdAt,
          artifacts.map(({ id }) => id),
          artifacts.map((artifact) => artifact.fingerprint),
          artifacts.map(({ manifestHash }) => manifestHash),
          renditionOf ? 0 : count,
          renditionOf?.id,
        ],
      );
      return artifacts;
    },
    rows: () =>
      outbox.query<ArtifactRow>(
        `select id, rendition_of, '0x' || encode(fingerprint, 'hex') as fingerprint, status, error_reason,
           '0x' || encode(transaction_hash, 'hex') as transaction_hash
         from artifacts order by created_at, id`,
      ),
    async counters() {
      const [row] = await outbox.query<{ lifetime: number; daily: number; ofMark: number }>(
        `select lifetime_artifacts::int as lifetime, daily_artifacts as daily, artifacts::int as "ofMark"
         from counters, mark_counters`,
      );
      if (!row) throw new Error('no counters');
      return row;
    },
    async query(sql, values = []) {
      return (await client.query(sql, values)).rows;
    },
    async waitingForLocks() {
      // Other tests use the same server, so only this database counts.
      const waiting = await outbox.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length;
    },
    async countByStatus() {
      const rows = await outbox.query<{ status: number; count: number }>(
        'select status, count(*)::int as count from artifacts group by 1',
      );
      const names = new Map(Object.entries(artifactStatusCode).map(([name, value]) => [Number(value), name]));
      return Object.fromEntries(rows.map(({ status, count }) => [names.get(status) ?? 'unknown', count]));
    },
    async untilAll(status, artifacts) {
      const ids = artifacts?.map(({ id }) => id);
      const others = async () =>
        outbox.query<{ status: number }>(
          'select status from artifacts where status <> $1 and ($2::uuid[] is null or id = any($2)) limit 1',
          [artifactStatusCode[status], ids ?? null],
        );
      await waitUntil(async () => (await others()).length === 0, `all Artifacts are ${status}`).catch(async (error) => {
        throw new Error(`${error.message}: ${JSON.stringify(await outbox.countByStatus())}`);
      });
    },
    async close() {
      await client.end();
      await database.destroy();
    },
  };
  return outbox;
}

function randomHash(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function toBytes16(id: string): Hex {
  return `0x${id.replaceAll('-', '')}`;
}

/** The contract call that registers these Artifacts, for a transaction that the submitter does not know. */
export function encodeRegistrations(artifacts: readonly TestArtifact[]): Hex {
  const registrations = artifacts.map(({ id, fingerprint, manifestHash }) => ({
    fingerprint,
    manifestId: toBytes16(id),
    manifestHash,
    userIdHash: manifestHash,
  }));
  return encodeFunctionData({ abi: contentRegistryAbi, functionName: 'registerManifests', args: [registrations] });
}

const HexText = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]*$' }));
const Logs = Type.Array(
  Type.Object({ address: HexText, topics: Type.Tuple([HexText, HexText]), data: HexText, transactionHash: HexText }),
);
const ReceiptResult = Type.Object({
  status: HexText,
  logs: Type.Array(Type.Object({ address: HexText, topics: Type.Array(HexText) })),
});

const registered = toEventSelector('SoftBindingRegistered(bytes32,string[],string)');

/** The registrations on the chain, in the order of the log. */
export async function readRegistrations(chain: TestChain): Promise<{ fingerprint: Hex; id: string }[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: chain.registry, topics: [registered] };
  const logs = Value.Parse(Logs, await chain.request('eth_getLogs', filter));
  return logs.map(({ topics, data }) => {
    const { args } = decodeEventLog({ abi: contentRegistryAbi, eventName: 'SoftBindingRegistered', topics, data });
    return { fingerprint: args.fingerprint, id: args.manifestId };
  });
}

/** Checks every Artifact against the chain, once no transaction is pending. */
export async function expectConsistentRegistrations(outbox: TestOutbox, chain: TestChain): Promise<void> {
  const rows = await outbox.rows();
  const onChain = await readRegistrations(chain);
  expect(new Set(onChain.map(({ fingerprint }) => fingerprint)).size, 'each at most once on chain').toBe(
    onChain.length,
  );
  const idOf = new Map(onChain.map(({ fingerprint, id }) => [fingerprint, id]));
  const receipts = new Map<Hex, Static<typeof ReceiptResult>>();
  for (const { fingerprint, status, transaction_hash: hash, error_reason: reason, ...row } of rows) {
    const id = row.rendition_of ?? row.id;
    if (status === artifactStatusCode.failed) {
      expect(reason).toBeTruthy();
      expect(idOf.get(fingerprint), 'a failed one is not on chain').not.toBe(id);
      continue;
    }
    expect(status).toBe(artifactStatusCode.submitted);
    expect(idOf.get(fingerprint), 'on chain under the id of its Artifact').toBe(id);
    if (!hash) throw new Error('submitted without a transaction hash');
    const receipt = receipts.get(hash) ?? (await fetchReceipt(chain, hash));
    receipts.set(hash, receipt);
    expect(receipt.status).toBe('0x1');
    const logged = receipt.logs.filter(({ topics }) => topics[0] === registered && topics[1] === fingerprint);
    expect(logged.length, 'logged by the transaction that it names').toBe(1);
    expect(logged[0]?.address).toBe(chain.registry.toLowerCase());
  }
  await expectConsistentQueue(outbox);
}

async function fetchReceipt(chain: TestChain, hash: Hex): Promise<Static<typeof ReceiptResult>> {
  const receipt = await chain.request('eth_getTransactionReceipt', hash);
  if (!receipt) throw new Error(`there is no transaction ${hash}`);
  return Value.Parse(ReceiptResult, receipt);
}

async function expectConsistentQueue(outbox: TestOutbox): Promise<void> {
  const steps = await outbox.query<{ old: number; new: number }>('select distinct old, new from status_steps');
  const allowed = new Set(['0>1', '1>2', '1>3']);
  expect(steps.map((step) => `${step.old}>${step.new}`).filter((step) => !allowed.has(step))).toEqual([]);
  const open = await outbox.query('select nonce from chain_transactions where block_number is null');
  expect(open, 'no transaction is pending').toEqual([]);
  const forgotten = await outbox.query(
    `select artifacts.id from outbox join artifacts on artifacts.id = outbox.artifact_id where artifacts.status <> 2`,
  );
  expect(forgotten, 'only what is watched is in the outbox').toEqual([]);
  const [counted] = await outbox.query<{ living: number }>(
    'select count(*)::int as living from artifacts where status <> 3 and rendition_of is null',
  );
  expect(await outbox.counters()).toMatchObject({ lifetime: counted?.living, ofMark: counted?.living });
}
