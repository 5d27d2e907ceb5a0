// What the way to the chain costs: registrations through the outbox and the submitter, with PostgreSQL and JSON-RPC in
// between, against the same EVM fed by hand with transactions of a hundred that were signed beforehand.

import { randomBytes, randomUUID } from 'node:crypto';
import { connectToNode, registrationCalldata } from '@provenance-registry/chain-client';
import { CHAIN_ID, createEvm, serveJsonRpc } from '@provenance-registry/dev-chain';
import { sql } from 'kysely';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { provideRegistry, registryOf } from '../packages/server/dist/chain/registryContract.js';
import { startSubmitter } from '../packages/server/dist/chain/submitter/submitter.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { registrationQueue } from '../packages/server/dist/database/queries/registrationQueue.js';
import { report } from './report.mjs';
import { openFolder } from './support.mjs';

/** Rounds that alternate: what else the machine does then falls on both sides alike. */
const ROUNDS = 5;
/** So many that they go out in a steady stream: the first look and the last one are a small part of the time. */
const COUNT = 20_000;
const BATCH = 100;
/** A batch of a hundred takes 5.3 million. */
const BATCH_GAS = 8_000_000n;

/** @type {(error: unknown) => void} */
const fail = (error) => {
  throw error;
};
const { address, remove } = await openFolder();
const database = openDatabase(address);
await migrateToLatest(database);
const [userId, markId] = [randomUUID(), randomUUID()];
await sql`insert into users (id, name) values (${userId}, 'Bench')`.execute(database);
await sql`
  insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
  values (${markId}, 'Bench', 'bench', 'public', 'NONE_SPECIFIED', ${userId}, ${userId})`.execute(database);

const admin = privateKeyToAccount(generatePrivateKey());
const [byHand, bySubmitter] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())];
const funded = [admin.address, byHand.address, bySubmitter.address];
const evm = await createEvm({ funded, genesisTime: Math.floor(Date.now() / 1_000) - 3_600, automine: true });
let calls = 0;
const server = await serveJsonRpc({
  port: 0,
  onFault: fail,
  handle(call) {
    calls += 1;
    return evm.request(call);
  },
});
const node = connectToNode({ url: server.url });
const endpoints = ['https://registry.example/api/c2pa'];
await provideRegistry(node, { admin, registrar: byHand.address, endpoints });
await provideRegistry(node, { admin, registrar: bySubmitter.address, endpoints });
const registry = registryOf(admin);
let nonce = 0;

/** @type {{ bare: number, submitted: number, ratio: number, calls: number }[]} */
const rounds = [];
for (let round = -1; round < ROUNDS; round += 1) {
  const bare = await registerByHand();
  calls = 0;
  const submitted = await registerBySubmitter();
  // The first one warms both up.
  if (round >= 0) rounds.push({ bare, submitted, ratio: submitted / bare, calls: calls / COUNT });
}
/** @param {keyof (typeof rounds)[number]} name */
const typical = (name) => rounds.map((one) => one[name]).toSorted((one, two) => one - two)[ROUNDS >> 1] ?? 0;
report({
  what: 'registering on chain, through outbox and submitter',
  measured: `${typical('submitted').toFixed(0)}/s`,
  against: `the bare EVM, fed by hand in batches of ${BATCH}, ${typical('bare').toFixed(0)}/s`,
  value: typical('ratio'),
  target: ['at least', 0.5],
});
report({
  what: 'JSON-RPC calls per Artifact',
  measured: typical('calls').toFixed(3),
  value: typical('calls'),
  target: ['at most', 0.2],
});

await server.close();
await database.destroy();
await remove();

function randomHash() {
  return /** @type {const} */ (`0x${randomBytes(32).toString('hex')}`);
}

async function registerByHand() {
  const signed = [];
  for (let batch = 0; batch < COUNT / BATCH; batch += 1) {
    const registrations = Array.from({ length: BATCH }, () => ({
      fingerprint: randomHash(),
      manifestId: /** @type {const} */ (`0x${randomBytes(16).toString('hex')}`),
      manifestHash: randomHash(),
      userIdHash: randomHash(),
    }));
    signed.push(
      await byHand.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        nonce,
        to: registry,
        data: registrationCalldata(registrations),
        gas: BATCH_GAS,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 1n,
      }),
    );
    nonce += 1;
  }
  const began = performance.now();
  for (const raw of signed) await evm.request({ method: 'eth_sendRawTransaction', params: [raw] });
  return (COUNT / (performance.now() - began)) * 1_000;
}

async function registerBySubmitter() {
  const fingerprints = Array.from({ length: COUNT }, () => randomBytes(32));
  await sql`
    with made as (
      insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
      select gen_random_uuid(), ${markId}, ${userId}, fingerprint, fingerprint, '{}'
      from unnest(${fingerprints}::bytea[]) as fingerprint returning id
    ) insert into outbox (artifact_id) select id from made`.execute(database);
  const queue = registrationQueue(database);
  let left = COUNT;
  /** @type {() => void} */
  let finish = () => {};
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined);
  });
  const began = performance.now();
  const submitter = startSubmitter({
    queue: {
      ...queue,
      async settle(lease, outcome) {
        await queue.settle(lease, outcome);
        left -= outcome.submitted?.length ?? 0;
        if (left === 0) finish();
      },
    },
    node,
    chainId: CHAIN_ID,
    registry,
    account: bySubmitter,
    confirmations: 1,
    retry: { attempts: 1, ms: 0 },
    log: () => {},
  });
  await finished;
  const perSecond = (COUNT / (performance.now() - began)) * 1_000;
  await submitter.stop();
  return perSecond;
}
