// The time from a registration to its receipt, without witnesses and with three of them, each a process of its own; and until a
// tree with its leaf is anchored on chain.

import { spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createVerifierKey, formatVerifierKey, parseReceipt } from '@provenance-registry/log';
import { report } from './report.mjs';
import { createFolder, openRegistry } from './support.mjs';

const RECEIPTS = 200;
const WITNESSES = ['w1.example', 'w2.example', 'w3.example'];
const ANCHORED = 3;
const POLL_MS = 500;
const ORIGIN = '127.0.0.1/log';
const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));

const folder = await createFolder();
const plain = await openService();
await measureReceipts(plain, 'from a registration to its receipt', 1);
await measureAnchors(plain);
await plain.close();
const { settings, witnesses } = await startWitnesses();
const witnessed = await openService(settings);
await measureReceipts(witnessed, `the same with the signatures of ${WITNESSES.length} witnesses`, 3, WITNESSES.length);
await witnessed.close();
for (const witness of witnesses) {
  witness.kill();
  await once(witness, 'exit');
}
await rm(folder, { recursive: true });

/** @typedef {Awaited<ReturnType<typeof openService>>} Service */

/** @param {Record<string, string>} [settings] */
async function openService(settings) {
  const registry = await openRegistry(settings);
  const { token, markId } = await registry.createUser();
  const url = await registry.serve();
  return {
    /** Resolves with the receipt. */
    async register() {
      const fingerprint = `0x${randomBytes(32).toString('hex')}`;
      const response = await fetch(`${url}/api/v1/artifacts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=10' },
        body: JSON.stringify({ markId, fingerprint, filename: 'photo.jpg' }),
      });
      /** @type {import('@provenance-registry/core').Artifact} */
      const { log } = JSON.parse(await response.text());
      if (log?.status !== 'included') throw new Error('there was no receipt within ten seconds');
      return fingerprint;
    },
    /** @param {string} fingerprint */
    async readReceipt(fingerprint) {
      const response = await fetch(`${url}/api/v1/public/artifacts/${fingerprint}/receipt`);
      /** @type {import('@provenance-registry/core').LogReceipt} */
      const { receipt } = JSON.parse(await response.text());
      return parseReceipt(receipt);
    },
    /** Leaves of the last anchor that has its confirmations. */
    async readAnchoredSize() {
      const response = await fetch(`${url}/api/v1/public/log/anchor`);
      if (!response.ok) return 0;
      /** @type {import('@provenance-registry/core').PublishedAnchor} */
      const { size } = JSON.parse(await response.text());
      return size;
    },
    close: registry.close,
  };
}

/** @param {Service} service @param {string} what @param {number} seconds @param {number} [cosignatures] */
async function measureReceipts(service, what, seconds, cosignatures = 0) {
  const times = [];
  for (let done = 0; done < RECEIPTS; done += 1) {
    const startedAt = performance.now();
    const fingerprint = await service.register();
    times.push((performance.now() - startedAt) / 1_000);
    const { checkpoint } = await service.readReceipt(fingerprint);
    const signed = WITNESSES.filter((name) => checkpoint.includes(`— ${name} `)).length;
    if (signed !== cosignatures) throw new Error(`a receipt has ${signed} cosignatures`);
  }
  times.sort((one, other) => one - other);
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
  report({
    what: `${what}, one after the other, 95th percentile, seconds`,
    measured: `${p95.toFixed(2)} s (median ${(times[times.length / 2] ?? 0).toFixed(2)} s)`,
    value: p95,
    target: ['at most', seconds],
  });
}

/** Registered just after an anchor, each waits for the next one. @param {Service} service */
async function measureAnchors(service) {
  let longest = 0;
  for (let anchored = 0; anchored < ANCHORED; anchored += 1) {
    const startedAt = performance.now();
    const fingerprint = await service.register();
    const { index } = await service.readReceipt(fingerprint);
    while ((await service.readAnchoredSize()) <= index) await delay(POLL_MS);
    longest = Math.max(longest, (performance.now() - startedAt) / 1_000);
  }
  report({
    what: `longest of ${ANCHORED} from a registration to a confirmed anchor with its leaf, seconds`,
    measured: `${longest.toFixed(0)} s`,
    value: longest,
    target: ['at most', 90],
  });
}

/** Settings of a service with witnesses that sign for its log. */
async function startWitnesses() {
  const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const publicKey = Buffer.from(createPublicKey(pem).export({ format: 'jwk' }).x ?? '', 'base64url');
  const logKey = formatVerifierKey(createVerifierKey(ORIGIN, 'log', publicKey));
  const keyFile = join(folder, 'log-key.pem');
  await writeFile(keyFile, pem);
  const started = await Promise.all(WITNESSES.map((name) => startWitness(name, logKey)));
  const policy = join(folder, 'witnesses.txt');
  const lines = [...started.map(({ line }) => line), `group all all ${WITNESSES.join(' ')}`, 'quorum all', ''];
  await writeFile(policy, lines.join('\n'));
  return {
    settings: { LOG_KEY_FILE: keyFile, LOG_WITNESSES: policy },
    witnesses: started.map(({ child }) => child),
  };
}

/** @param {string} name @param {string} logKey */
async function startWitness(name, logKey) {
  const options = ['--name', name, '--log', logKey, '--folder', join(folder, name), '--port', '0'];
  const child = spawn(process.execPath, [command, 'log', 'witness', ...options, '--format', 'policyLine'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return { child, line };
  throw new Error(`${name} has ended`);
}
