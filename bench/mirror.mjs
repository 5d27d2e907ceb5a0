// Measures the mirror: how long it takes for a million registrations, in how much memory, and how soon a new one is visible.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Mirror } from '../packages/server/dist/chain/mirror/mirror.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { ChainMirrorQueries } from '../packages/server/dist/database/queries/lookups/chainMirror.js';
import { report } from './report.mjs';
import { startDatabase } from './support.mjs';

/** Nearly all are those of a registry's own users. */
const CURATED = 900_000;
const PUBLIC = 100_000;
const NEW_BLOCKS = 10;
/** The first tenth fills caches and pools. */
const WARM_UP = 0.1;

const node = fork(fileURLToPath(new URL('./mirrorNode.mjs', import.meta.url)), [String(CURATED), String(PUBLIC)]);
const [{ port, registry }] = await once(node, 'message');
const url = `http://127.0.0.1:${port}`;
const server = await startDatabase();
const database = openDatabase(server.address);
await migrateToLatest(server.address);
const store = new ChainMirrorQueries(database);

const startedAt = performance.now();
const mirror = new Mirror({ store, url, chainId: 31_337, registry, isIndexedLate: true, log: console.log });
const memory = { warm: 0, most: 0 };
for (;;) {
  await delay(250);
  const { rss } = process.memoryUsage();
  const progress = await store.readProgress();
  if (progress && progress.mirroredBlock > WARM_UP * progress.headBlock) {
    memory.warm ||= rss;
    memory.most = Math.max(memory.most, rss);
  }
  if (progress?.isFresh) break;
}
const seconds = (performance.now() - startedAt) / 1_000;
report({
  what: 'Mirror of 1,000,000 registrations',
  measured: `${(seconds / 60).toFixed(1)} minutes (${Math.round((CURATED + PUBLIC) / seconds)}/s)`,
  value: seconds / 60,
  target: ['at most', 10],
});
const growth = Math.max(0, memory.most - memory.warm) / 2 ** 20;
report({
  what: 'Memory that the mirror takes from the first tenth to the end',
  measured: `${growth.toFixed(0)} MB more, ${(memory.most / 2 ** 20).toFixed(0)} MB at most`,
  value: growth,
  target: ['at most', 64],
});

let slowest = 0;
for (let block = 0; block < NEW_BLOCKS; block += 1) {
  const minedAt = performance.now();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine' });
  /** @type {any} */
  const { result } = await (await fetch(url, { method: 'POST', body })).json();
  while (((await store.readProgress())?.mirroredBlock ?? 0) < Number(result)) await delay(5);
  slowest = Math.max(slowest, (performance.now() - minedAt) / 1_000);
  // Not in step with the mirror.
  await delay(137 * block);
}
report({
  what: 'Slowest of 10 new blocks until its registrations are mirrored',
  measured: `${slowest.toFixed(2)} s`,
  value: slowest,
  target: ['at most', 2],
});

await mirror.stop();
await database.destroy();
await server.remove();
node.disconnect();
