// Monitor and mirror of a log of a million leaves, each as a process of its own: from nothing, and again when nothing is new.

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
const leaves = `a log of ${LEAVES.toLocaleString('en')} leaves, on disk`;
const monitorArguments = ['monitor', '--once', '--from', folder, '--folder', join(folder, 'monitor')];
const whole = await run(monitorArguments);
report({
  what: `CPU seconds of \`log monitor\` for ${leaves}`,
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
const again = await run(monitorArguments);
report({
  what: 'CPU seconds of `log monitor` when nothing is new',
  measured: `${again.cpuSeconds.toFixed(1)} s`,
  value: again.cpuSeconds,
});

const mirrorArguments = ['mirror', join(folder, 'copy'), '--once', '--log-only', '--from', folder];
const copied = await run(mirrorArguments);
report({
  what: `seconds of \`log mirror\` for ${leaves}`,
  measured: `${copied.seconds.toFixed(0)} s (${copied.cpuSeconds.toFixed(0)} s CPU, ${copied.megabytes.toFixed(0)} MiB)`,
  value: copied.seconds,
  target: ['at most', 60],
});
const plain = await copyPlainly();
report({
  what: 'seconds of `log mirror` for them, of what copying the files takes',
  measured: `${copied.seconds.toFixed(0)} s`,
  against: `\`cp -r\`, \`sha256sum\` of each and \`sync\`, ${plain.toFixed(0)} s`,
  value: copied.seconds / plain,
});
const checked = await run(mirrorArguments);
report({
  what: 'seconds of `log mirror` to check that copy when nothing is new',
  measured: `${checked.seconds.toFixed(0)} s`,
  value: checked.seconds,
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

/** The same files without a check of what is in them: seconds. */
async function copyPlainly() {
  const script = 'cp -r log plain && find plain -type f -exec sha256sum {} + > sums && sync -f plain';
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', script], { cwd: folder, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`copying ended with ${code}`);
  return (performance.now() - startedAt) / 1_000;
}

/** @param {string[]} words */
async function run(words) {
  const onExit = 'process.on("exit", () => console.error("usage", JSON.stringify(process.resourceUsage())))';
  const preload = `data:text/javascript,${encodeURIComponent(onExit)}`;
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', preload, command, 'log', ...words, '--json', '--log-key', logKey],
    { stdio: ['ignore', 'inherit', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - startedAt) / 1_000;
  const [, json] = /^usage (.*)$/m.exec(errors) ?? [];
  if (code !== 0 || json === undefined) throw new Error(`log ${words[0]} ended with ${code}: ${errors}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(json);
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1024) / MEGABYTE };
}
