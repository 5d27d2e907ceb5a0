// Witnesses as partners run them, with a registry that needs them, and a verifier who demands them.

import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fingerprint, type LogReceipt, registryFingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/ports.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { call, type Service, startService } from '../../../test/support/service.js';
import { makeLogKey } from '../../../test/support/witnessedService.js';
import {
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  formatWitnessRequest,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  parseReceipt,
  type Receipt,
  signNote,
} from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { createWitness } from '../src/log/witness.js';
import { openWitnessState, type WitnessState } from '../src/log/witnessState.js';
import { Machine, main, type RunningProcess } from './support/machine.js';

const WAIT_SECONDS = 20;
const Started = Type.Object({ verifierKey: Type.String(), url: Type.String(), policyLine: Type.String() });
const Verified = Type.Tuple([Type.Object({ checks: Type.Object({ log: Type.Object({ state: Type.String() }) }) })]);

interface Partner {
  readonly key: string;
  readonly line: string;
  readonly url: string;
  readonly running: RunningProcess;
}

let machine: Machine;
let service: Service;
let logSigner: NoteSigner;
let logKey: string;
let partners: readonly Partner[];
let file: string;
let receipt: LogReceipt;

beforeAll(async () => {
  machine = await Machine.create();
  const port = await freePort();
  const { signer, file: keyFile } = await makeLogKey(machine.home, port);
  logSigner = signer;
  logKey = formatVerifierKey(logSigner.key);
  partners = await Promise.all(['w1.example', 'w2.example'].map((name) => startPartner(name)));
  const policy = [...partners.map(({ line }) => line), 'group both all w1.example w2.example', 'quorum both', ''];
  const policyFile = join(machine.home, await machine.file('witnesses.txt', policy.join('\n')));
  service = await startService({ PORT: String(port), LOG_KEY_FILE: keyFile, LOG_WITNESSES: policyFile });
  const ada = await createRegistrant(service.url);
  file = await machine.file('sunrise.txt', 'a sunrise');
  const fingerprint = await hash(file);
  await ada.client.createArtifact({ markId: ada.markId, fingerprint, filename: file });
  receipt = await ada.client.getReceipt({ fingerprint, wait: WAIT_SECONDS });
});
afterAll(async () => {
  for (const { running } of partners) running.process.kill('SIGINT');
  await Promise.all(partners.map(({ running }) => running.end));
});

async function startPartner(name: string, ...more: readonly string[]): Promise<Partner> {
  const running = machine.spawn(process.execPath, [
    main,
    ...['log', 'witness', '--name', name, '--log', logKey, '--folder', name, '--port', '0', '--json', ...more],
  ]);
  await running.waitForOutput('}\n');
  const { verifierKey, url, policyLine } = Value.Parse(Started, JSON.parse(running.output()));
  return { key: verifierKey, url, line: policyLine, running };
}

async function hash(name: string): Promise<Fingerprint> {
  const bytes = await readFile(join(machine.home, name));
  return `0x${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The exit code, and what became of the receipt. */
async function verify(...options: readonly string[]) {
  const { code, result } = await machine.json(['verify', file, '--url', service.url, '--timeout', '120', ...options]);
  const [{ checks }] = Value.Parse(Verified, result);
  return [code, checks.log.state];
}

describe('a receipt', () => {
  it('carries the signatures of the witnesses, and the registry states whose it demands', async () => {
    expect(receipt).toMatchObject({ witnessed: true });
    const names = parseNote(parseReceipt(receipt.receipt).checkpoint).signatures.map(({ name }) => name);
    expect(names).toEqual([logSigner.key.name, 'w1.example', 'w2.example']);
    const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
    const stated = partners.map(({ key }) => `witness ${key.split('+')[0]} ${key}\n`).join('');
    expect(body.log.policy).toBe(`log ${logKey}\n${stated}group both all w1.example w2.example\nquorum both\n`);
  });

  it('proves nothing to whoever demands a witness that did not sign it', async () => {
    const [first, second] = partners.map(({ key }) => key);
    const demand = ['--log-key', logKey, '--require', 'log'];
    expect(await verify(...demand)).toEqual([0, 'confirmed']);
    expect(await verify(...demand, '--witness', first ?? '', '--witness', second ?? '')).toEqual([0, 'confirmed']);
    const stranger = formatVerifierKey(createSigner('w3.example', 'cosignature', 'w3').key);
    // The same name, and another key.
    const impostor = formatVerifierKey(createSigner('w1.example', 'cosignature', 'another').key);
    expect(await verify(...demand, '--witness', first ?? '', '--witness', stranger)).toEqual([3, 'unavailable']);
    expect(await verify(...demand, '--witness', impostor)).toEqual([3, 'unavailable']);
    const { code, stderr } = await machine.run(['verify', file, '--witness', 'w1.example', '--url', service.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the verifier key of a witness')]);
    const alone = await machine.run(['verify', file, '--witness', first ?? '', '--url', service.url]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--log-key')]);
  });

  it('is judged by the witnesses of the pin', async () => {
    const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
    const pin = (witness: string) => [
      ...['config', 'trust', 'add', service.url, '--expect', registryFingerprint(body), '--witness', witness],
    ];
    const user = await Machine.create();
    await user.file(file, await readFile(join(machine.home, file)));
    const stranger = formatVerifierKey(createSigner('w3.example', 'cosignature', 'w3').key);
    const judged: unknown[] = [];
    for (const witness of [stranger, partners[0]?.key ?? '']) {
      expect((await user.json(pin(witness))).result).toMatchObject({ witnesses: [witness] });
      const { result } = await user.json(['verify', file, '--url', service.url, '--timeout', '120']);
      judged.push(Value.Parse(Verified, result)[0].checks.log.state);
    }
    expect(judged).toEqual(['unavailable', 'confirmed']);
  });
});

describe('a witness', () => {
  const post = async (url: string, body: string) => {
    const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
    return [response.status, await response.text()] as const;
  };
  const sizeOf = ({ checkpoint }: Pick<Receipt, 'checkpoint'>) => parseCheckpoint(parseNote(checkpoint).text).size;
  const forkAt = async (size: number) => {
    const text = formatCheckpoint({ origin: logSigner.key.name, size, root: new Uint8Array(32) });
    return formatNote({ text, signatures: [await signNote(text, logSigner)] });
  };

  it('that is killed signs no other tree of that size afterwards', async () => {
    const partner = await startPartner('w4.example');
    const { checkpoint } = parseReceipt(receipt.receipt);
    const size = sizeOf({ checkpoint });
    expect(await post(partner.url, formatWitnessRequest({ oldSize: 0, proof: [], checkpoint }))).toEqual([
      200,
      expect.stringMatching(/^— w4\.example \S+\n$/),
    ]);
    partner.running.process.kill('SIGKILL');
    await partner.running.end;
    const again = await startPartner('w4.example');
    expect(again.key).toBe(partner.key);
    const fork = await forkAt(size);
    expect(await post(again.url, formatWitnessRequest({ oldSize: size, proof: [], checkpoint: fork }))).toMatchObject({
      0: 422,
    });
    expect(await post(again.url, formatWitnessRequest({ oldSize: 0, proof: [], checkpoint: fork }))).toEqual([
      409,
      `${size}\n`,
    ]);
    expect(await post(again.url, formatWitnessRequest({ oldSize: size, proof: [], checkpoint }))).toMatchObject({
      0: 200,
    });
    expect(await post(again.url, 'old x')).toMatchObject({ 0: 400 });
    expect(await post(again.url, 'x'.repeat(1_000_000))).toMatchObject({ 0: 413 });
    expect((await fetch(`${again.url}/add-checkpoint`)).status).toBe(405);
    expect((await fetch(again.url)).status).toBe(404);
    const other = await machine.run([
      'log',
      'witness',
      '--name',
      'w4.example',
      '--log',
      logKey,
      '--folder',
      'w4.example',
    ]);
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('already')]);
    again.running.process.kill('SIGINT');
    expect((await again.running.end).code).toBe(130);
    await rm(join(machine.home, 'w4.example', 'witness-key.pem'));
    const lost = await machine.run([
      'log',
      'witness',
      '--name',
      'w4.example',
      '--log',
      logKey,
      '--folder',
      'w4.example',
    ]);
    expect([lost.code, lost.stderr]).toEqual([3, expect.stringContaining('witness-key.pem is missing')]);
  });

  it('signs nothing that it could not keep, and one of two trees that come at once', async () => {
    const state = await openWitnessState(join(machine.home, 'w5.example'), 'w5.example', [logSigner.key.name]);
    const full: WitnessState = { ...state, write: () => Promise.reject(new Error('ENOSPC')) };
    const request = async (size: number, root: number) => {
      const text = formatCheckpoint({ origin: logSigner.key.name, size, root: new Uint8Array(32).fill(root) });
      const checkpoint = formatNote({ text, signatures: [await signNote(text, logSigner)] });
      return formatWitnessRequest({ oldSize: 0, proof: [], checkpoint });
    };
    const options = { logKeys: [logSigner.key], log: () => {} };
    await expect(createWitness({ ...options, state: full })(await request(9, 1))).rejects.toThrow('ENOSPC');
    const witness = createWitness({ ...options, state });
    const answers = await Promise.all([1, 2].map(async (root) => witness(await request(9, root))));
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  });

  it.each([
    [['--log', 'KEY'], '--name'],
    [['--name', 'w'], '--log'],
    [['--name', 'w', '--log', 'nonsense'], 'not the verifier key of a log'],
  ])('is not started with %j', async (options, problem) => {
    const { code, stderr } = await machine.run(['log', 'witness', ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
