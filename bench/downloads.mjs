// The filter of the downloads with ten million fingerprints: size, construction, false positives, queries.

import { randomFillSync } from 'node:crypto';
import { buildFilter, FilterKeys, parseFilter } from '@provenance-registry/core';
import { report } from './report.mjs';

const COUNT = 10_000_000;
const KEY_BYTES = 8;

const keys = new BigUint64Array(COUNT);
randomFillSync(keys);
keys.sort();
const fingerprint = Buffer.alloc(32);
const collected = new FilterKeys();
for (const key of keys) {
  fingerprint.writeBigUInt64BE(key);
  collected.add(fingerprint);
}
const { words } = collected;
const before = process.memoryUsage.rss();
const startedAt = process.cpuUsage();
const bytes = buildFilter(words);
const seconds = process.cpuUsage(startedAt).user / 1e6;
const memory = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
const filter = parseFilter(bytes);
report({
  what: 'filter of ten million fingerprints',
  measured: `${(bytes.length / 1e6).toFixed(2)} MB`,
  value: bytes.length / 1e6,
  target: ['at most', 12],
});
report({
  what: 'construction of that filter',
  measured: `${seconds.toFixed(1)} s of CPU, ${memory.toFixed(0)} MB`,
  value: seconds,
});
let missing = 0;
for (const key of keys) {
  fingerprint.writeBigUInt64BE(key);
  if (!filter.mayContain(fingerprint)) missing += 1;
}
report({ what: 'false negatives of the filter', measured: String(missing), value: missing, target: ['at most', 0] });

const others = randomFillSync(Buffer.alloc(COUNT * KEY_BYTES));
const queriesAt = process.cpuUsage();
let found = 0;
for (let at = 0; at < others.length; at += KEY_BYTES) {
  if (filter.mayContain(others.subarray(at, at + KEY_BYTES))) found += 1;
}
const rate = (COUNT * 1e6) / process.cpuUsage(queriesAt).user;
const share = (100 * found) / COUNT;
report({
  what: 'false positives of the filter',
  measured: `${share.toFixed(3)} %`,
  value: share,
  target: ['at most', 0.4],
});
report({ what: 'queries of the filter', measured: `${(rate / 1e6).toFixed(1)} million/s`, value: rate });
