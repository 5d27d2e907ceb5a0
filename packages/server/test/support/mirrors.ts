// Mirrors of a real EVM in a database of their own, with short intervals.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createJsonRpcClient, encodeRegistrations, readEndpoints, readEntry } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import pg from 'pg';
import { createWalletClient, custom, encodeFunctionData, type Hex, numberToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { newPrivateKey } from '../../../../test/support/wallets.js';
import { Mirror, type MirrorOptions, type MirrorTimes } from '../../src/chain/mirror/mirror.js';
import { openDatabase } from '../../src/database/connection.js';
import { ChainMirrorQueries } from '../../src/database/queries/lookups/chainMirror.js';
import { MirrorRowQueries } from '../../src/database/queries/lookups/mirrorRows.js';
import type { MirrorProgress, MirrorRows, MirrorStore } from '../../src/domain/ports/index.js';
import { bundleProcess } from './bundledProcess.js';
import { startTestChain, type TestChain } from './testChain.js';

/** Nothing is believed for lack of patience, unless a test wants it. */
const quickTimes: MirrorTimes = {
  pollMs: 10,
  waitMs: 10,
  confirmMs: 20,
  patienceMs: 600_000,
  rescanMs: 1,
  maxRescanMs: 50,
  leaseMs: 15_000,
};
const MAX_FEE = 10n ** 12n;

export interface MirroredRow {
  readonly fingerprint: Hex;
  readonly source: number;
  readonly manifest_id: string | null;
  readonly manifest_hash: Hex;
  readonly registered_by: Hex;
  readonly endpoints: string[] | null;
  readonly seconds: number;
}

export interface MirrorSetup {
  readonly chain: TestChain;
  readonly databaseUrl: string;
  readonly store: MirrorStore;
  readonly auditRows: MirrorRows;
  readonly logged: { level: string; details: object; message: string }[];
  start(options?: Partial<MirrorOptions>): Mirror;
  /** Sends a call to the contract and mines it. */
  send(account: PrivateKeyAccount, data: Hex, to?: Hex): Promise<Hex>;
  /** Deploys these instructions as a contract, and returns its address. */
  deploy(code: string): Promise<Hex>;
  /** In one transaction and block. */
  registerCurated(count: number): Promise<Hex[]>;
  registerPublic(fields?: PublicFields): Promise<Hex>;
  fundedAccount(): Promise<PrivateKeyAccount>;
  progress(): Promise<MirrorProgress | undefined>;
  rows(): Promise<MirroredRow[]>;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Waits until the mirror is fresh at the chain's head, and compares every fingerprint with the contract. */
  expectMirrored(): Promise<void>;
  close(): Promise<void>;
}

export interface PublicFields {
  readonly account?: PrivateKeyAccount;
  readonly fingerprint?: Hex;
  readonly endpoints?: string[];
  readonly manifestId?: string;
  /** Sent to this contract instead. */
  readonly to?: Hex;
}

export const newFingerprint = (): Hex => `0x${randomBytes(32).toString('hex')}`;

export function curatedCall(fingerprints: readonly Hex[]): Hex {
  return encodeRegistrations(
    fingerprints.map((fingerprint) => ({
      fingerprint,
      manifestId: `0x${randomUUID().replaceAll('-', '')}`,
      manifestHash: newFingerprint(),
      userIdHash: newFingerprint(),
    })),
  );
}

/** Starts a mirror in another process, and resolves when it has killed itself at that step. */
export async function killMirrorAt(
  { chain, databaseUrl }: MirrorSetup,
  dieAt: { readonly step: keyof MirrorStore; readonly moment: 'before' | 'after' },
): Promise<void> {
  const options = {
    databaseUrl,
    url: chain.node.url,
    registry: chain.registry.toLowerCase(),
    // The next process takes over at once.
    times: { ...quickTimes, leaseMs: 1 },
    dieAt,
  };
  const script = bundleProcess('mirrorProcess.mjs');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

export async function openMirrorSetup(): Promise<MirrorSetup> {
  const databaseUrl = await createMigratedDatabase();
  const database = openDatabase({ connectionString: databaseUrl });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const chain = await startTestChain();
  const store = new ChainMirrorQueries(database);
  const logged: MirrorSetup['logged'] = [];
  const running = new Set<Mirror>();
  /** Of every registration that was ever sent. */
  const fingerprints = new Set<Hex>();
  const reader = createJsonRpcClient({ url: chain.node.url });
  const wallet = createWalletClient({
    transport: custom({ request: ({ method, params }) => chain.request(method, ...(params ?? [])) }),
  });
  const fees = { gas: 3_000_000n, maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: MAX_FEE, chain: null };

  async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await client.query<Row>(sql, values)).rows;
  }

  async function isAtHead(): Promise<boolean> {
    const progress = await store.readProgress();
    const head = await chain.request('eth_getBlockByNumber', 'latest', false);
    const [stored] = await query<{ hash: string }>(
      `select '0x' || encode(hash, 'hex') as hash from chain_blocks where number = $1`,
      [progress?.mirroredBlock],
    );
    return progress?.isFresh === true && (head as { hash: string }).hash === stored?.hash;
  }

  const setup: MirrorSetup = {
    chain,
    databaseUrl,
    store,
    auditRows: new MirrorRowQueries(database),
    logged,
    query,
    start(options = {}) {
      const mirror = new Mirror({
        store,
        url: chain.node.url,
        chainId: 31_337,
        registry: `0x${chain.registry.slice(2).toLowerCase()}`,
        isIndexedLate: true,
        log: (level, details, message) => logged.push({ level, details, message }),
        ...options,
        times: { ...quickTimes, ...options.times },
      });
      running.add(mirror);
      return mirror;
    },
    async send(account, data, to = chain.registry) {
      const hash = await wallet.sendTransaction({ ...fees, account, to, data });
      await chain.mine();
      return hash;
    },
    async deploy(code) {
      const init = `60${(code.length / 2).toString(16).padStart(2, '0')}80600b6000396000f3` as const;
      const hash = await wallet.sendTransaction({ ...fees, account: chain.writer, data: `0x${init}${code}` });
      await chain.mine();
      const receipt = await chain.request('eth_getTransactionReceipt', hash);
      return (receipt as { contractAddress: Hex }).contractAddress;
    },
    async registerCurated(count) {
      const added = Array.from({ length: count }, newFingerprint);
      for (const fingerprint of added) fingerprints.add(fingerprint);
      await setup.send(chain.writer, curatedCall(added));
      return added;
    },
    async registerPublic(fields = {}) {
      const { account = chain.writer, fingerprint = newFingerprint(), manifestId = 'urn:c2pa:shop-7' } = fields;
      const { endpoints = ['https://one.example/api', 'https://two.example/c2pa'] } = fields;
      fingerprints.add(fingerprint);
      const args = [fingerprint, endpoints, manifestId, newFingerprint()] as const;
      const data = encodeFunctionData({ abi: contentRegistryAbi, functionName: 'registerPublicManifest', args });
      await setup.send(account, data, fields.to);
      return fingerprint;
    },
    async fundedAccount() {
      const account = privateKeyToAccount(newPrivateKey());
      await chain.request('hardhat_setBalance', account.address, numberToHex(10n ** 20n));
      return account;
    },
    progress: () => store.readProgress(),
    rows: () =>
      query<MirroredRow>(
        `select '0x' || encode(fingerprint, 'hex') as fingerprint, source, manifest_id,
           '0x' || encode(manifest_hash, 'hex') as manifest_hash, '0x' || encode(registered_by, 'hex') as registered_by,
           endpoints, extract(epoch from registered_at)::integer as seconds
         from chain_entries order by fingerprint, source`,
      ),
    async expectMirrored() {
      await waitUntil(isAtHead, 'the mirror is at the head of the chain');
      const [current] = await query<{ endpoints: string[] }>(
        'select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1',
      );
      expect(current?.endpoints).toEqual(await readEndpoints(reader, chain.registry));
      const rows = await setup.rows();
      const expected = [];
      for (const fingerprint of fingerprints) {
        const entry = await readEntry(reader, chain.registry, fingerprint);
        if (entry) expected.push({ ...entry, fingerprint, registeredBy: entry.registeredBy.toLowerCase() });
      }
      const resolved = rows
        .filter(({ fingerprint, source }, index) => source === 1 || rows[index - 1]?.fingerprint !== fingerprint)
        .map((row) => ({
          fingerprint: row.fingerprint,
          source: row.source === 1 ? 'curated' : 'public',
          endpoints: row.endpoints ?? current?.endpoints,
          manifestId: row.manifest_id,
          manifestHash: row.manifest_hash,
          registeredBy: row.registered_by,
          timestamp: row.seconds,
        }));
      expect(resolved).toEqual(expected.toSorted((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1)));
    },
    async close() {
      chain.node.faultFor = () => undefined;
      chain.node.tamper = (_method, result) => result;
      for (const mirror of running) await mirror.stop();
      await client.end();
      await database.destroy();
      await chain.close();
    },
  };
  return setup;
}
