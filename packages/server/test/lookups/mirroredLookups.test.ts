// Lookups in own records and in the mirror of the chain: which of them is returned, and when the node is asked.

import { readEntry } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { getAbiItem, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { newFile, type TestFile } from '../../../../test/support/files.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { type RegistryChain, startRegistryChain } from '../../../../test/support/registryChain.js';
import { call, type Service, startService } from '../../../../test/support/service.js';
import { REGISTRAR_KEY, registrar, testWallet } from '../../../../test/support/wallets.js';
import { addMirroredEntry, type MirroredEntry, setMirror } from '../support/mirror.js';
import { lookUp, registerFile } from '../support/resolution.js';

let chain: RegistryChain;
let databaseUrl: string;
let service: Service;
let mark: { token: string; markId: string };

beforeAll(async () => {
  chain = await startRegistryChain();
  databaseUrl = await createMigratedDatabase();
  // Without a worker: the mirror is what the tests make it.
  service = await startService({
    DATABASE_URL: databaseUrl,
    ROLE: 'api',
    RPC_URL: chain.url,
    REGISTRY_ADDRESS: chain.registry,
  });
  const { token } = await createUser(service, 'creator');
  mark = { token, markId: String((await createMark(service, { token })).body.id) };
  await query(databaseUrl, 'insert into chain_endpoints values (1, 0, $1), (9, 1, $2), (9, 0, $3)', [
    ['https://first.example/api/c2pa'],
    ['https://latest.example/api/c2pa'],
    ['https://earlier.example/api/c2pa'],
  ]);
});
afterAll(() => chain.close());
beforeEach(async () => {
  chain.misbehave(undefined);
  await setMirror(databaseUrl);
});

/** Calls to the node that tell it the fingerprint. */
const callsAbout = ({ fingerprint }: TestFile) =>
  chain.requests.flat().filter(({ params }) => JSON.stringify(params).includes(fingerprint.slice(2))).length;

const matchesOf = async ({ value }: TestFile) => (await lookUp(service, value)).body.matches;

const alice = testWallet(0).address;
const publicEntry: MirroredEntry = {
  source: 2,
  manifestId: 'urn:c2pa:shop-7',
  registeredBy: alice,
  endpoints: ['https://one.example/api', 'https://two.example/c2pa'],
};
const curatedEntry: MirroredEntry = {
  source: 1,
  manifestId: '3f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10',
  registeredBy: registrar.address,
  endpoints: null,
};
const unsafe = { manifestId: null, endpoints: [] };

const publicMatches = publicEntry.endpoints?.map((endpoint) => ({
  manifestId: 'urn:c2pa:shop-7',
  endpoint,
  similarityScore: 100,
  source: 'public',
  registeredBy: alice,
}));
const curatedMatches = [
  {
    manifestId: curatedEntry.manifestId,
    endpoint: 'https://latest.example/api/c2pa',
    similarityScore: 100,
    source: 'curated',
    registeredBy: registrar.address,
  },
];

const cases: [string, readonly MirroredEntry[], unknown][] = [
  ['nothing', [], []],
  ['a public entry, one match for each endpoint', [publicEntry], publicMatches],
  ['a curated entry, with the latest endpoints', [curatedEntry], curatedMatches],
  ['the curated entry of two', [publicEntry, curatedEntry], curatedMatches],
  ['no entry whose data is not safe', [{ ...publicEntry, ...unsafe }], []],
  ['no public entry behind a curated one that is not safe', [publicEntry, { ...curatedEntry, ...unsafe }], []],
];

describe('with a fresh mirror, a lookup asks no node and finds', () => {
  it.each(cases)('%s', async (_, entries, expected) => {
    const file = newFile();
    for (const entry of entries) await addMirroredEntry(databaseUrl, file, entry);
    expect(await matchesOf(file)).toEqual(expected);
    expect(callsAbout(file)).toBe(0);
  });

  it('the own record before every entry', async () => {
    const file = newFile();
    const manifestId = await registerFile(service, mark, file);
    for (const entry of [publicEntry, curatedEntry]) await addMirroredEntry(databaseUrl, file, entry);
    expect(await matchesOf(file)).toEqual([{ manifestId, endpoint: `${service.url}/api/c2pa`, similarityScore: 100 }]);
    expect(callsAbout(file)).toBe(0);
  });

  it('each of many that are asked for together', async () => {
    const files = Array.from({ length: 60 }, newFile);
    for (const [index, file] of files.entries()) {
      if (index % 3 === 1) await addMirroredEntry(databaseUrl, file, publicEntry);
    }
    const own = await registerFile(service, mark, files[0] ?? newFile());
    const found = await Promise.all(files.map(matchesOf));
    expect(found.map((matches) => matches[0]?.manifestId)).toEqual(
      files.map((_, index) => (index === 0 ? own : index % 3 === 1 ? publicEntry.manifestId : undefined)),
    );
  });
});

describe('with a mirror that is behind', () => {
  const reasons: [string, Parameters<typeof setMirror>[1]][] = [
    ['three blocks', { blocksBehind: 3 }],
    ['31 seconds', { ageSeconds: 31 }],
    ['known to be incomplete', { ageSeconds: null }],
    ['not started', undefined],
  ];
  it.each(reasons)('(%s) a lookup asks the node for what it does not know', async (reason, state) => {
    if (state) await setMirror(databaseUrl, state);
    else await query(databaseUrl, 'delete from chain_mirror');
    const [missing, onChain, mirrored] = [newFile(), newFile(), newFile()];
    await chain.registerPublic(
      testWallet(0),
      onChain.fingerprint,
      ['https://late.example'],
      reason.replaceAll(' ', '-'),
    );
    await addMirroredEntry(databaseUrl, mirrored, publicEntry);
    const before = callsAbout(onChain);
    // The chain read has a deadline of a second: on a busy machine it may take another lookup.
    await expect.poll(() => matchesOf(onChain)).toMatchObject([{ endpoint: 'https://late.example', source: 'public' }]);
    expect(callsAbout(onChain)).toBeGreaterThan(before);
    expect(await matchesOf(missing)).toEqual([]);
    expect(callsAbout(missing)).toBe(1);
    expect(await matchesOf(mirrored)).toEqual(publicMatches);
    expect(callsAbout(mirrored)).toBe(0);
  });

  it('by two blocks, a lookup asks no node', async () => {
    await setMirror(databaseUrl, { blocksBehind: 2 });
    const missing = newFile();
    expect(await matchesOf(missing)).toEqual([]);
    expect(callsAbout(missing)).toBe(0);
  });

  it('and a node that is down, known entries and own records are still found', async () => {
    chain.misbehave((response) => response.destroy());
    await setMirror(databaseUrl, { ageSeconds: 3_600 });
    const [missing, mirrored, own] = [newFile(), newFile(), newFile()];
    await addMirroredEntry(databaseUrl, mirrored, curatedEntry);
    const manifestId = await registerFile(service, mark, own);
    for (let round = 0; round < 5; round += 1) {
      expect(await matchesOf(missing)).toEqual([]);
      expect(await matchesOf(mirrored)).toEqual(curatedMatches);
      expect(await matchesOf(own)).toMatchObject([{ manifestId }]);
    }
  });
});

describe('with the worker that mirrors the chain', () => {
  it('entries are found as the contract has them, and no lookup asks the node', async () => {
    const complete = await startService({
      RPC_URL: chain.url,
      REGISTRY_ADDRESS: chain.registry,
      CHAIN_PRIVATE_KEY: REGISTRAR_KEY,
    });
    const [open, curated, missing] = [newFile(), newFile(), newFile()];
    await chain.registerPublic(testWallet(1), open.fingerprint, ['https://one.example', 'https://two.example'], 'id-1');
    await chain.registerPublic(testWallet(1), curated.fingerprint, ['https://one.example'], 'id-2');
    await chain.registerCurated(curated.fingerprint, '0x00000000000040008000000000000001');
    const height = Number(await chain.evm.request({ method: 'eth_blockNumber', params: [] }));
    const mirror = async () => (await call(complete, 'GET', '/api/c2pa/services/status')).body.mirror;
    await expect.poll(mirror, { timeout: 60_000 }).toMatchObject({ isFresh: true, mirroredBlock: height });
    for (const { fingerprint, value } of [open, curated, missing]) {
      const entry = await readEntry(chain.reader, chain.registry, fingerprint);
      const calls = resolvingCalls();
      const { body } = await lookUp(complete, value);
      expect(body.matches).toEqual(
        (entry?.endpoints ?? []).map((endpoint) => ({
          manifestId: entry?.manifestId,
          endpoint,
          similarityScore: 100,
          source: entry?.source,
          registeredBy: entry?.registeredBy,
        })),
      );
      expect(resolvingCalls()).toBe(calls);
    }
  });
});

/** Calls so far by which a lookup asks the contract. */
function resolvingCalls(): number {
  const selector = toFunctionSelector(getAbiItem({ abi: contentRegistryAbi, name: 'resolveByBindingDetailed' }));
  const calls = chain.requests.flat().filter(({ method }) => method === 'eth_call');
  return calls.filter(({ params }) => JSON.stringify(params).includes(selector)).length;
}
