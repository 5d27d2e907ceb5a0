// The monitor of a log of a million leaves, as a process of its own: from no knowledge, and again when nothing is new.

import { spawn } from 'node:child_process';
import { generateKeyPairSync, hash, randomBytes, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  appendEntries,
  createTreeHasher,
  createVerifierKey,
  encodeLeaf,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  signNote,
} from '@provenance-registry/log';
import { report } from './report.mjs';
import { createFolder } from './support.mjs';

const LEAVES = Number(process.env['BENCH_LEAVES'] ?? 1_000_000);
const PAGE = 10_000;
const ORIGIN = 'registry.example/log';
const MEGABYTE = 1024 * 1024;
const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));
const hasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));

const folder = await createFolder();
const logKey = await writeLog(join(folder, 'log'));
const whole = await monitor();
report({
  what: `CPU seconds of \`log monitor\` for a log of ${LEAVES.toLocaleString('en')} leaves, on disk`,
  measured: `${whole.cpuSeconds.toFixed(0)} s`,
  value: whole.cpuSeconds,
  target: ['at most', 90],
});
report({
  what: 'memory of that process at most, in MiB',
  measured: `${whole.megabytes.toFixed(0)} MiB`,
  value: whole.megabytes,
  target: ['at most', 256],
});
const again = await monitor();
report({
  what: 'CPU seconds of `log monitor` when nothing is new',
  measured: `${again.cpuSeconds.toFixed(1)} s`,
  value: again.cpuSeconds,
});
await rm(folder, { recursive: true });

/** Returns the verifier key. @param {string} path */
async function writeLog(path) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const key = createVerifierKey(ORIGIN, 'log', raw);
  /** @type {import('@provenance-registry/log').TreeEdge} */
  let edge = { size: 0, root: hasher.emptyRoot, tiles: [], entries: [] };
  const folders = new Set();
  for (let start = 0; start < LEAVES; start += PAGE) {
    const entries = Array.from({ length: Math.min(PAGE, LEAVES - start) }, makeEntry);
    const next = appendEntries(edge, entries, hasher);
    edge = next.edge;
    for (const file of next.files) {
      const name = join(path, file.path);
      if (!folders.has(dirname(name))) await mkdir(dirname(name), { recursive: true });
      folders.add(dirname(name));
      await writeFile(name, file.bytes);
    }
  }
  const text = formatCheckpoint({ origin: ORIGIN, ...edge });
  const signature = await signNote(text, { key, sign: (message) => sign(null, message, privateKey) });
  await writeFile(join(path, 'checkpoint'), formatNote({ text, signatures: [signature] }));
  return formatVerifierKey(key);
}

function makeEntry() {
  /** @returns {`0x${string}`} */
  const newHash = () => `0x${randomBytes(32).toString('hex')}`;
  return encodeLeaf({
    kind: 'artifact',
    content: {
      ...{ fingerprint: newHash(), manifest: newHash(), metadata: newHash(), id: randomUUID(), mark: randomUUID() },
      ...{ ai: [1, 1, 2, 2], license: 'CC-BY-4.0', time: new Date().toISOString() },
    },
  });
}

async function monitor() {
  const onExit = 'process.on("exit", () => console.error("usage", JSON.stringify(process.resourceUsage())))';
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(onExit)}`, command, 'log', 'monitor', '--once'],
      ...['--json', '--from', folder, '--log-key', logKey, '--folder', join(folder, 'monitor')],
    ],
    { stdio: ['ignore', 'inherit', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  const [, json] = /^usage (.*)$/m.exec(errors) ?? [];
  if (code !== 0 || json === undefined) throw new Error(`the monitor ended with ${code}: ${errors}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(json);
  return { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1024) / MEGABYTE };
}
