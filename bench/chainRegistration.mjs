// The cost of registering on chain: through outbox, submitter, PostgreSQL and JSON-RPC, against the same EVM that gets
// presigned transactions of a hundred registrations directly.

import { randomBytes } from 'node:crypto';
import { createJsonRpcClient, encodeRegistrations } from '@provenance-registry/chain-client';
import { CHAIN_ID, createEvm, serveJsonRpc } from '@provenance-registry/dev-chain';
import { sql } from 'kysely';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { deployRegistry, registryAddressOf } from '../packages/server/dist/chain/registryContract.js';
import { Submitter } from '../packages/server/dist/chain/submitter/submitter.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { ChainOutboxQueries } from '../packages/server/dist/database/queries/artifacts/chainOutbox.js';
import { report } from './report.mjs';
import { fail, insertMark, median, startDatabase } from './support.mjs';

/** Alternating rounds, so that other load on the machine affects both sides alike. */
const ROUNDS = 5;
/** Enough for a steady stream, in which the first and the last poll hardly count. */
const COUNT = 20_000;
const BATCH = 100;
/** A batch of a hundred takes 5.3 million. */
const BATCH_GAS = 8_000_000n;

const { address, remove } = await startDatabase();
const database = openDatabase(address);
await migrateToLatest(address);
const { userId, markId } = await insertMark(database);

const admin = privateKeyToAccount(generatePrivateKey());
const [directAccount, submitterAccount] = [
  privateKeyToAccount(generatePrivateKey()),
  privateKeyToAccount(generatePrivateKey()),
];
const funded = [admin.address, directAccount.address, submitterAccount.address];
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
const node = createJsonRpcClient({ url: server.url });
const endpoints = ['https://registry.example/api/c2pa'];
await deployRegistry(node, { admin, registrar: directAccount.address, endpoints });
await deployRegistry(node, { admin, registrar: submitterAccount.address, endpoints });
const registry = registryAddressOf(admin);
let nonce = 0;

/** @type {{ bare: number, submitted: number, ratio: number, calls: number }[]} */
const rounds = [];
for (let round = -1; round < ROUNDS; round += 1) {
  const bare = await registerDirectly();
  calls = 0;
  const submitted = await registerBySubmitter();
  // The first round is a warm-up.
  if (round >= 0) rounds.push({ bare, submitted, ratio: submitted / bare, calls: calls / COUNT });
}
/** @param {keyof (typeof rounds)[number]} name */
const medianOf = (name) => median(rounds.map((round) => round[name]));
report({
  what: 'registering on chain, through outbox and submitter',
  measured: `${medianOf('submitted').toFixed(0)}/s`,
  against: `the bare EVM, fed by hand in batches of ${BATCH}, ${medianOf('bare').toFixed(0)}/s`,
  value: medianOf('ratio'),
  target: ['at least', 0.5],
});
report({
  what: 'JSON-RPC calls per Artifact',
  measured: medianOf('calls').toFixed(3),
  value: medianOf('calls'),
  target: ['at most', 0.2],
});

await server.close();
await database.destroy();
await remove();

function randomHash() {
  return /** @type {const} */ (`0x${randomBytes(32).toString('hex')}`);
}

async function registerDirectly() {
  const signed = [];
  for (let batch = 0; batch < COUNT / BATCH; batch += 1) {
    const registrations = Array.from({ length: BATCH }, () => ({
      fingerprint: randomHash(),
      manifestId: /** @type {const} */ (`0x${randomBytes(16).toString('hex')}`),
      manifestHash: randomHash(),
      userIdHash: randomHash(),
    }));
    signed.push(
      await directAccount.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        nonce,
        to: registry,
        data: encodeRegistrations(registrations),
        gas: BATCH_GAS,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 1n,
      }),
    );
    nonce += 1;
  }
  const startedAt = performance.now();
  for (const raw of signed) await evm.request({ method: 'eth_sendRawTransaction', params: [raw] });
  return (COUNT / (performance.now() - startedAt)) * 1_000;
}

async function registerBySubmitter() {
  const fingerprints = Array.from({ length: COUNT }, () => randomBytes(32));
  await sql`
    with inserted as (
      insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
      select gen_random_uuid(), ${markId}, ${userId}, fingerprint, fingerprint, '{}'
      from unnest(${fingerprints}::bytea[]) as fingerprint returning id
    ) insert into outbox (artifact_id) select id from inserted`.execute(database);
  const queue = new ChainOutboxQueries(database);
  let left = COUNT;
  /** @type {() => void} */
  let finish = () => {};
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined);
  });
  const settle = queue.settle.bind(queue);
  queue.settle = async (lease, outcome) => {
    await settle(lease, outcome);
    left -= outcome.submitted?.length ?? 0;
    if (left === 0) finish();
  };
  const startedAt = performance.now();
  const submitter = new Submitter({
    queue,
    node,
    chainId: CHAIN_ID,
    registry,
    account: submitterAccount,
    confirmations: 1,
    pseudonymSecret: 'secret of this measurement',
    retry: { attempts: 1, ms: 0 },
    log: () => {},
  });
  await finished;
  const perSecond = (COUNT / (performance.now() - startedAt)) * 1_000;
  await submitter.stop();
  return perSecond;
}
