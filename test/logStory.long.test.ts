// The whole story of the public log, with the programs that people run: a registry with three witnesses, a monitor and a mirror
// shows one client another log, and is found out; then it is gone for good, and the mirror proves what was registered.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { serveFiles } from '../packages/cli/test/support/logSources.js';
import { Machine, main } from '../packages/cli/test/support/machine.js';
import { PlantedLog } from '../packages/cli/test/support/plantedLog.js';
import { waitForStatus } from '../packages/client/src/index.js';
import { encodeUtf8, formatVerifierKey, parseReceipt } from '../packages/log/src/index.js';
import { freePort } from './support/ports.js';
import { createRegistrant } from './support/registrants.js';
import { newDataFolder, startServiceProcess } from './support/service.js';
import { waitUntil } from './support/waitUntil.js';
import { makeLogKey } from './support/witnessedService.js';

const WAIT_SECONDS = 20;
const Started = Type.Object({ verifierKey: Type.String(), url: Type.String(), policyLine: Type.String() });
const Monitored = Type.Object({
  size: Type.Optional(Type.Integer()),
  findings: Type.Array(Type.Object({ kind: Type.String(), message: Type.String() })),
  unchecked: Type.Array(Type.String()),
});

it('a registry that forks its log is found out, and what it had registered outlives it', async () => {
  const story: string[] = [];
  const machine = await Machine.create();
  const port = await freePort();
  const { signer, file: keyFile } = await makeLogKey(machine.home, port);
  const logKey = formatVerifierKey(signer.key);

  const witnesses = await Promise.all(
    ['w1.example', 'w2.example', 'w3.example'].map(async (name) => {
      const running = machine.spawn(process.execPath, [
        ...[main, 'log', 'witness', '--name', name, '--log', logKey, '--folder', name, '--port', '0', '--json'],
      ]);
      await running.waitForOutput('}\n');
      return { running, ...Value.Parse(Started, JSON.parse(running.output())) };
    }),
  );
  const names = 'w1.example w2.example w3.example';
  const policy = [...witnesses.map(({ policyLine }) => policyLine), `group all all ${names}`, 'quorum all', ''];
  const policyFile = join(machine.home, await machine.file('witnesses.txt', policy.join('\n')));
  const dataDir = await newDataFolder();
  const service = await startServiceProcess({
    ...{
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_KEY_FILE: keyFile,
      LOG_WITNESSES: policyFile,
      DOWNLOADS_SECONDS: '1',
      LOG_ANCHOR_SECONDS: '1',
    },
  });
  story.push(`Registry at ${service.url}, with its chain; witnesses: ${names}.`);

  const ada = await createRegistrant(service.url);
  const register = async (name: string) => {
    const content = `a photograph: ${name}`;
    const fingerprint: Fingerprint = `0x${createHash('sha256').update(content).digest('hex')}`;
    await machine.file(name, content);
    await ada.client.createArtifact({ markId: ada.markId, fingerprint, filename: name });
    const receipt = await ada.client.getReceipt({ fingerprint, wait: WAIT_SECONDS });
    await waitForStatus(ada.client, fingerprint);
    return receipt;
  };
  for (const name of ['dawn.txt', 'noon.txt']) await register(name);
  story.push('Registered: dawn.txt, noon.txt.');

  const trust = ['--log-key', logKey];
  const { rpcUrl = '' } = await ada.client.getContract();
  const copied = await machine.run(['log', 'mirror', 'copy', '--once', '--url', service.url, ...trust]);
  expect([copied.code, copied.stderr]).toMatchObject({ 0: 0 });
  story.push(`Mirror: ${copied.stdout.trim()}`);
  const views = ['--mirror', 'copy', ...witnesses.flatMap(({ url }) => ['--witness-url', url])];
  const monitor = async (...options: readonly string[]) => {
    const { code, result } = await machine.json(['log', 'monitor', '--once', ...trust, ...views, ...options]);
    return { code, ...Value.Parse(Monitored, result) };
  };
  const honest = await monitor('--url', service.url, '--rpc-url', rpcUrl);
  expect(honest).toMatchObject({ code: 0, findings: [], unchecked: [] });
  story.push(`Monitor: ${honest.size} leaves, no contradiction.`);

  await waitUntil(async () => {
    const bundled = await machine.run([
      'file',
      'bundle',
      'dawn.txt',
      '--force',
      '-o',
      'dawn.json',
      '--url',
      service.url,
    ]);
    expect(bundled.code).toBe(0);
    return (await readFile(join(machine.home, 'dawn.json'), 'utf8')).includes('"anchor":');
  }, 'the log is anchored');
  const { log: identity } = await ada.client.getRegistryIdentity();
  const contract = ['--log-contract', identity?.contract?.address ?? ''];
  const bundle = ['verify', 'dawn.txt', '--bundle', 'dawn.json', ...trust, ...contract];
  const beforeBlock = /^ +Anchor +(in the log before block \d+, \d{4}-\d\d-\d\dT[^ ]+Z)$/m;
  const anchored = await machine.run([...bundle, '--rpc-url', rpcUrl]);
  expect(anchored.stdout).toMatch(beforeBlock);
  story.push(`A node of the chain: dawn.txt was ${beforeBlock.exec(anchored.stdout)?.[1]}.`);

  // With the same key, for one client alone: without dawn.txt.
  const dusk = await register('dusk.txt');
  const honestSize = parseReceipt(dusk.receipt).index + 1;
  const fork = new PlantedLog(signer);
  const entries = Array.from({ length: honestSize }, (_, index) => encodeUtf8(`provenance-leaf/2 forked\n${index}`));
  await fork.publish(entries, Date.now());
  const url = await serveFiles(() => new Map([...fork.files].map(([path, bytes]) => [`log/${path}`, bytes])));
  const deceived = await monitor('--from', url, '--folder', 'deceived');
  expect(deceived.code).toBe(1);
  expect(new Set(deceived.findings.map(({ kind }) => kind))).toEqual(new Set(['fork']));
  // The mirror, and each of the witnesses.
  expect(deceived.findings).toHaveLength(1 + witnesses.length);
  for (const { message } of deceived.findings) story.push(`Found out: ${message}`);

  expect((await machine.run(['log', 'mirror', 'copy', '--once', '--url', service.url, ...trust])).code).toBe(0);
  await service.end('SIGKILL');
  for (const { running } of witnesses) running.process.kill('SIGKILL');
  await Promise.all(witnesses.map(({ running }) => running.end));
  story.push('Registry, chain and witnesses are killed.');

  const unproven = await machine.run(bundle);
  expect(unproven.stdout).not.toMatch(beforeBlock);
  const compare = /^ +(Compare block \d+ of the log's anchor with an explorer: (0x[0-9a-f]{64}))$/m;
  const [, advice = '', hash = ''] = compare.exec(unproven.stdout) ?? [];
  story.push(`Without a node, the bundle of dawn.txt says: ${advice}`);
  const compared = await machine.run([...bundle, '--anchor-block-hash', hash]);
  expect(compared.stdout).toMatch(beforeBlock);
  const dead = await machine.run([...bundle, '--rpc-url', rpcUrl]);
  expect([dead.code, beforeBlock.test(dead.stdout)]).toEqual([3, false]);

  const [trusted] = witnesses;
  const proof = await machine.run([
    ...[
      'verify',
      'dawn.txt',
      '--mirror',
      'copy',
      ...trust,
      '--witness',
      trusted?.verifierKey ?? '',
      '--require',
      'log',
    ],
    ...['--trust-anchors', join(dataDir, 'keys', 'authority.pem')],
  ]);
  expect([proof.code, proof.stderr]).toMatchObject({ 0: 0 });
  // Its clock, of a witness that the caller named; the others are not.
  expect(proof.stdout).toMatch(/^ +Witness +w1\.example signed it by \d{4}-\d\d-\d\dT[^ ]+Z, says its clock$/m);
  expect(proof.stdout).not.toContain('w2.example');
  story.push('Offline, by someone who trusts w1.example:', proof.stdout.trim());
  console.log(story.join('\n'));
  expect(await readFile(join(machine.home, 'copy', 'log', 'checkpoint'), 'utf8')).toContain('w1.example');
});
