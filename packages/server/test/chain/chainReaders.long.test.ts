// Clients read the registry with nothing but the URLs of the service and of a node.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createPublicClient, createWalletClient, http, keccak256, stringToBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { call, newDataFolder, type Service, signUp, startService } from '../../../../test/support/service.js';
import { testWallet } from '../../../../test/support/wallets.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const anybody = testWallet(3);
const newFingerprint = () => `0x${randomBytes(32).toString('hex')}` as const;
const curated = { fingerprint: newFingerprint(), manifestId: randomUUID(), manifestHash: newFingerprint() };
const open = { fingerprint: newFingerprint(), manifestId: 'urn:c2pa:of-anybody', manifestHash: newFingerprint() };
const openEndpoints = ['https://anybody.example/c2pa', 'https://mirror.example/c2pa'];

let service: Service;
let databaseUrl: string;
let rpcUrl: string;
let address: `0x${string}`;
let userId: string;
let registrar: string;
let transactionHash: string;
/** Services in the process of the test share their counters. */
let countBefore: number;

async function countConfirmed(): Promise<number> {
  const { body } = await call(service, 'GET', '/metrics');
  return Number(/^chain_transactions_total\{outcome="confirmed"\} (\d+)$/m.exec(body)?.[1]);
}

/** One Artifact that the service registers in the curated registry, and one public entry of another account. */
beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  const DATA_DIR = await newDataFolder();
  const CHAIN_PORT = String(await freePort());
  service = await startService({ DATABASE_URL: databaseUrl, DATA_DIR, CHAIN_PORT });
  rpcUrl = `http://127.0.0.1:${CHAIN_PORT}`;
  address = (await call(service, 'GET', '/c2pa/contract')).body.address;
  const secret = await readFile(`${DATA_DIR}/chain-key`, 'utf8');
  registrar = privateKeyToAccount(`0x${Buffer.from(secret.trim(), 'base64url').toString('hex')}`).address;

  const wallet = createWalletClient({ account: anybody, chain: hardhat, transport: http(rpcUrl) });
  await wallet.writeContract({
    address,
    abi: contentRegistryAbi,
    functionName: 'registerPublicManifest',
    args: [open.fingerprint, openEndpoints, open.manifestId, open.manifestHash],
  });

  countBefore = await countConfirmed();
  const { id, token } = await signUp(service);
  userId = id;
  const mark = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Ada', license: 'CC-BY-4.0' } });
  const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex');
  await query(
    databaseUrl,
    `with artifact as (
       insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
       values ($1, $2, $3, $4, $5, '{}') returning id
     ) insert into outbox (artifact_id) select id from artifact`,
    [curated.manifestId, mark.body.id, id, bytes(curated.fingerprint), bytes(curated.manifestHash)],
  );
  transactionHash = await vi.waitFor(
    async () => {
      const [row] = await query<{ hash: string | null }>(
        databaseUrl,
        `select '0x' || encode(transaction_hash, 'hex') as hash from artifacts where status = 2`,
      );
      if (!row?.hash) throw new Error('not submitted yet');
      return row.hash;
    },
    { timeout: 240_000, interval: 100 },
  );
});

describe('a plain script that knows the address and the ABI from /c2pa/contract', () => {
  it.each(['readWithViem.mjs', 'readWithEthers.mjs'])('reads entries, events and descriptions (%s)', async (name) => {
    const script = fileURLToPath(new URL(`../support/${name}`, import.meta.url));
    const fingerprints = [curated.fingerprint, open.fingerprint, newFingerprint()];
    const { stdout } = await run(process.execPath, [script, service.url, rpcUrl, ...fingerprints]);
    const read = JSON.parse(stdout);
    const endpoints = [`${service.url}/api/c2pa`];
    const { manifestId } = curated;
    expect(read.curated).toEqual([1, endpoints, manifestId, curated.manifestHash, registrar, expect.any(Number)]);
    expect(read.open).toEqual([
      2,
      openEndpoints,
      open.manifestId,
      open.manifestHash,
      anybody.address,
      expect.any(Number),
    ]);
    expect(read.refusal).toBe('ManifestNotFound');
    expect(read.byBinding).toEqual({ endpoints, manifestId });
    expect(read.methods).toMatchObject([
      {
        resolutionMethod: 'smartContract',
        querySmartContract: { smartContractAddress: address, byBindingFunctionName: 'getManifestByBinding' },
      },
      {
        resolutionMethod: 'eventLog',
        queryEventLog: { keyTopic: 'SoftBindingRegistered(bytes32,string[],string)' },
      },
    ]);
    expect(read.version).toBe('2.2.0');
    expect(read.algorithms).toEqual(['sha256']);
    expect(read.metadata).toEqual([
      'Content registry',
      '1.0.0',
      expect.any(String),
      expect.stringContaining('c2pa.org'),
    ]);
    expect(read.curatedEvents).toEqual([{ fingerprint: curated.fingerprint, endpoints, manifestId }]);
    expect(read.publicEvents).toEqual([
      {
        fingerprint: open.fingerprint,
        registeredBy: anybody.address,
        endpoints: openEndpoints,
        manifestId: open.manifestId,
      },
    ]);
  });
});

it('A user finds their registrations in the log by a hash of their id', async () => {
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const logs = await reader.getContractEvents({
    address,
    abi: contentRegistryAbi,
    eventName: 'ManifestRegistered',
    args: { userIdHash: keccak256(stringToBytes(userId)) },
    fromBlock: 0n,
    strict: true,
  });
  expect(logs).toMatchObject([
    { transactionHash, args: { fingerprint: curated.fingerprint, manifestHash: curated.manifestHash } },
  ]);
});

it('A registration is counted with its gas, and watched for reorganizations', async () => {
  const { body } = await call(service, 'GET', '/metrics');
  // An anchor of the public log is a transaction, too, and costs no registration anything.
  expect(await countConfirmed()).toBeGreaterThan(countBefore);
  const gas = Number(/^chain_gas_per_registration (\S+)$/m.exec(body)?.[1]);
  expect(gas).toBeGreaterThan(50_000);
  expect(gas).toBeLessThan(120_000);
  const anchors = await query<{ hash: Buffer }>(databaseUrl, 'select block_hash as hash from log_anchors');
  const watched = await query<{ hash: Buffer }>(databaseUrl, 'select block_hash as hash from chain_transactions');
  const anchored = new Set(anchors.map(({ hash }) => hash.toString('hex')));
  const ofRegistrations = watched.filter(({ hash }) => !anchored.has(hash.toString('hex')));
  expect(ofRegistrations).toEqual([{ hash: expect.any(Buffer) }]);
});

describe('docs/chain.md', () => {
  it('lists every metric of the chain, and only warnings that exist', async () => {
    const text = await readFile(`${root}/docs/chain.md`, 'utf8');
    const { body } = await call(service, 'GET', '/metrics');
    const metrics = [...body.matchAll(/^# TYPE (chain_\w+)/gm)].map(([, name]) => name);
    const named = [...text.matchAll(/^\| `(chain_\w+)/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(metrics.toSorted());

    const folder = new URL('../../src/chain/', import.meta.url);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
    const warnings = [...text.matchAll(/^\| `(?:chain|mirror): ([^`]+)`/gm)].map(([, warning]) => warning ?? '');
    expect(warnings.length).toBeGreaterThan(5);
    for (const warning of warnings) expect(sources.join()).toContain(warning);
  });

  it('has examples that work', async () => {
    const text = await readFile(`${root}/docs/chain.md`, 'utf8');
    const examples = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', example], {
        cwd: root,
        env: { BASE_URL: service.url, RPC_URL: rpcUrl, FINGERPRINT: open.fingerprint },
      });
      for (const shown of ['public', openEndpoints[0], open.manifestId, anybody.address]) {
        expect(stdout).toContain(shown);
      }
    }
  });
});
