// The command against the real service: verification, claims and bundles.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { startRegistryChain } from '../../../test/support/registryChain.js';
import { call, newDataFolder, type Service, signUp, startService } from '../../../test/support/service.js';
import { LISTS, listOnly, startTamperingProxy, type Tamperings } from '../../../test/support/tamperingProxy.js';
import { anchorLog, LOG_CONTRACT } from '../../../test/support/testAnchors.js';
import { createTestLog, leafOf } from '../../../test/support/testLog.js';
import { createClient, makeBundle, parseBundle, verifyBundle } from '../../client/src/index.js';
import { Machine } from './support/machine.js';

const password = 'correct horse battery';
let service: Service;
let dataDir: string;
/** Logged in as Ada, on the enterprise tier, with a Mark and a registered photo. */
let ada: Machine;
let token: string;
let markId: string;
let rpcUrl: string;
let contract: string;
const photo = `a photo, ${randomUUID()}`;
const fingerprint = `0x${createHash('sha256').update(photo).digest('hex')}` as const;

beforeAll(async () => {
  dataDir = await newDataFolder();
  service = await startService({ DATA_DIR: dataDir });
  ada = await Machine.create({ PROVENANCE_URL: service.url });
  await ada.file('photo.jpg', photo);
  await ada.file('other.jpg', 'another file');
  token = (await signUp(service, { email: 'ada@example.com', password, name: 'Ada Lovelace' })).token;
  await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
  const mark = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Photography', license: 'MIT' } });
  markId = mark.body.id;
  await call(service, 'POST', '/api/v1/artifacts', { token, body: { markId, fingerprint, filename: 'photo.jpg' } });
  await ada.run(['login', '--email', 'ada@example.com'], password);
  const deployment = await call(service, 'GET', '/c2pa/contract');
  rpcUrl = deployment.body.rpcUrl;
  contract = deployment.body.address;
  await ada.run(['file', 'status', '--wait', 'photo.jpg']);
  expect((await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}/receipt?wait=10`)).status).toBe(200);
});

describe('verify', () => {
  it('shows as the word of the service what only one party says; it exits with 4 and says how to pin', async () => {
    const { code, stdout, stderr } = await ada.run(['verify', 'photo.jpg']);
    expect([code, stderr]).toEqual([4, '']);
    expect(stdout).toMatch(/^photo\.jpg: consistent\n {2}0x/);
    expect(stdout).toContain(
      `\n  Next: Compare and pin the registry, then run this again: provenance config trust add ${service.url}\n`,
    );
    expect(stdout).not.toContain('Facts and their evidence');
    const [, word = ''] = stdout.split('  According to the service\n');
    expect(word).toMatch(/^ {4}Mark +Photography$/m);
    expect(word).toMatch(/^ {4}Author +Ada Lovelace$/m);
    expect(word).toMatch(/^ {4}AI training +allowed$/m);
    expect(word).toMatch(/^ {4}Status +submitted$/m);
    for (const source of ['Registry', 'Chain', 'Manifest']) expect(stdout).toContain(`\n  ${source}: agrees\n`);
    expect(stdout).toMatch(/^ {4}Block hash +0x[0-9a-f]{64}$/m);
    // Apart from the command, which can be copied.
    const lines = stdout.split('\n').filter((line) => !line.startsWith('  Next: '));
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it('exits with 0 when a node, a contract or trust anchors from elsewhere confirm', async () => {
    const anchors = join(dataDir, 'keys', 'authority.pem');
    const sources = ['--rpc-url', rpcUrl, '--contract', contract, '--trust-anchors', anchors];
    const { code, result } = await ada.json(['verify', 'photo.jpg', ...sources, '--require', 'chain,manifest']);
    expect(code).toBe(0);
    expect(result).toMatchObject([
      {
        file: 'photo.jpg',
        fingerprint,
        verdict: 'verified',
        independentSources: ['chain', 'manifest', 'log'],
        checks: { chain: { details: { addressFrom: 'caller' } }, manifest: { details: { trustedBy: 'caller' } } },
      },
    ]);
    const unmet = await ada.run(['verify', 'photo.jpg', '--rpc-url', rpcUrl, '--require', 'manifest']);
    expect(unmet.code).toBe(3);
    expect(unmet.stdout).toContain('The manifest is required');
    await ada.file('empty.pem', '');
    expect((await ada.run(['verify', 'photo.jpg', '--trust-anchors', 'empty.pem'])).code).toBe(2);
    expect((await ada.run(['verify', 'photo.jpg', '--require', 'everything'])).code).toBe(2);
  });

  it('with a sidecar, needs the chain but not the service', async () => {
    const artifact = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, { token });
    const sidecar = await fetch(artifact.body.c2paAssets.manifestBinaryUrl);
    await ada.file('photo.c2pa', new Uint8Array(await sidecar.arrayBuffer()));
    const alone = ada.with({ PROVENANCE_URL: 'http://127.0.0.1:1' });
    const anchors = ['--trust-anchors', join(dataDir, 'keys', 'authority.pem')];
    const sources = ['--manifest', 'photo.c2pa', '--rpc-url', rpcUrl, '--contract', contract, ...anchors];
    expect(await alone.json(['verify', 'photo.jpg', ...sources])).toMatchObject({
      code: 0,
      result: [{ verdict: 'verified', checks: { registry: { code: 'NOT_CHECKED' }, chain: { state: 'confirmed' } } }],
    });
    expect(await alone.json(['verify', 'other.jpg', ...sources])).toMatchObject({
      code: 1,
      result: [{ verdict: 'contradicted' }],
    });
    expect(await alone.json(['verify', 'photo.jpg', '--manifest', 'gone.c2pa'])).toMatchObject({ code: 3 });
  });

  it('is a contradiction when the service is not the registry that was pinned', async () => {
    const { body: identity } = await call(service, 'GET', '/.well-known/provenance-registry');
    const { registryFingerprint } = await import('@provenance-registry/core');
    const impostor = await startTamperingProxy(service.url, {
      json: { '/.well-known/provenance-registry': (body) => (isHonest ? body : { ...body, chainId: 5 }) },
    });
    let isHonest = true;
    const here = await Machine.create({ PROVENANCE_URL: impostor });
    await here.file('photo.jpg', photo);
    await here.run(['config', 'trust', 'add', impostor, '--expect', registryFingerprint(identity)]);
    const pinned = await here.json(['verify', 'photo.jpg']);
    expect(pinned).toMatchObject({
      code: 0,
      result: [{ verdict: 'verified', independentSources: ['manifest', 'log'] }],
    });
    isHonest = false;
    expect(await here.json(['verify', 'photo.jpg', '--rpc-url', rpcUrl, '--timeout', '120'])).toMatchObject({
      code: 1,
      result: [{ verdict: 'contradicted', facts: [], alarm: expect.stringContaining('its chain is 5') }],
    });
    const { stdout, stderr } = await here.run(['verify', 'photo.jpg', '--timeout', '120']);
    expect(stdout).toMatch(/^photo\.jpg: CONTRADICTED: The registry is not the one that you know\.$/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('ALARM: ');
    expect(stdout).not.toContain('Photography');
    expect(stderr).toContain('is not the registry');
  });

  it('shows a renamed Mark with both names', async () => {
    const { body: mark } = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Old name' } });
    const content = randomUUID();
    const file = `0x${createHash('sha256').update(content).digest('hex')}`;
    await call(service, 'POST', '/api/v1/artifacts', {
      token,
      body: { markId: mark.id, fingerprint: file, filename: 'x' },
    });
    await call(service, 'PUT', `/api/v1/marks/${mark.id}`, { token, body: { name: 'New name' } });
    await ada.run(['file', 'status', '--wait', file]);
    const { stdout } = await ada.run(['verify', file, '--rpc-url', rpcUrl, '--contract', contract]);
    expect(stdout).toContain('registered as "Old name" (now called "New name", according to the service)');
  });

  it.each<[lie: string, lies: Tamperings['json'], reason: RegExp]>([
    [
      'names another manifest',
      { [LISTS]: listOnly({ fingerprint, manifestId: randomUUID() }) },
      /The service names the manifest [-0-9a-f]{36}[ ,]/,
    ],
    [
      'hides a file that is registered',
      { [LISTS]: listOnly() },
      /has no record of this file, but the chain has the manifest/,
    ],
    [
      'names another author',
      {
        '/api/v1/artifacts/': (artifact) => ({
          ...artifact,
          metadata: { ...artifact.metadata, author: { ...artifact.metadata?.author, name: 'Mallory' } },
        }),
      },
      /METADATA_MISMATCH/,
    ],
  ])('exits with 1 when the service %s', async (_lie, json = {}, reason) => {
    const liar = await startTamperingProxy(service.url, { json });
    const here = ada.with({ PROVENANCE_URL: liar, PROVENANCE_TOKEN: token, PROVENANCE_RPC_URL: rpcUrl });
    const { code, stdout } = await here.run(['verify', 'photo.jpg']);
    expect(stdout).toMatch(/^photo\.jpg: CONTRADICTED$/m);
    expect(stdout).toMatch(/^ {2}Registry: CONTRADICTED$/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(reason);
    expect(stdout).not.toMatch(/^ {4}Author +Mallory/m);
    expect(code).toBe(1);
  });

  it('exits with 1 and words of its own when another user contests the registration', async () => {
    const claims = { contested: true, open: 1, checked: 1, supersededBy: { id: markId, name: '\u001b[2JHeir' } };
    const json = { '/api/v1/public/artifacts': (record: object) => ({ ...record, claims, isChecked: true }) };
    const disputed = await startTamperingProxy(service.url, { json });
    const named = { PROVENANCE_RPC_URL: rpcUrl, PROVENANCE_CONTRACT: contract };
    const here = (await Machine.create()).with({ PROVENANCE_URL: disputed, ...named });
    await here.file('photo.jpg', photo);
    const { code, stdout } = await here.run(['verify', 'photo.jpg']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^photo\.jpg: contested\n.*\n {2}Registered, contested\. The chain confirms/);
    const [, word = ''] = stdout.split('  According to the service\n');
    expect(word).toMatch(/^ +Identity +No verified identity$/m);
    expect(word).toMatch(/^ +Claims +Contested: 1 open claim with checked evidence/m);
    expect(word).toMatch(/^ +Superseded by +\\u001b\[2JHeir$/m);
    const verified = await here.json(['verify', 'photo.jpg']);
    expect(verified).toMatchObject({ code: 1, result: [{ verdict: 'contested', independentSources: ['chain'] }] });
  });

  it('exits with 3 when all responses are invalid', async () => {
    const invalidService = await startTamperingProxy(service.url, { json: { '/': () => '?' } });
    const { code, stdout } = await ada.with({ PROVENANCE_URL: invalidService }).run(['verify', 'photo.jpg']);
    expect(stdout).toMatch(/^photo\.jpg: could not check: Not enough sources could be checked: /m);
    expect(code).toBe(3);
  });
});

describe('claims', () => {
  it('are made, answered and conceded, and a conceded registration is not verified', async () => {
    const bea = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_TOKEN: (await signUp(service)).token });
    await bea.file('photo.jpg', photo);
    await bea.file('forged.tsr', 'not a time-stamp');
    const { result: mark } = await bea.json(['mark', 'create', 'Ph\u03BFtography']);
    const { id, namesakeCount } = mark as { id: string; namesakeCount: number };
    expect(namesakeCount).toBe(1);
    const make = ['claim', 'create', 'photo.jpg', 'I took it.\nSee the raw file.', '--mark', id];
    expect((await bea.run([...make, '--chain-entry', '--timestamp', 'forged.tsr'])).code).toBe(2);
    expect(await bea.json(make)).toMatchObject({ code: 2, result: { code: 'CONFIRMATION_REQUIRED' } });
    expect(await bea.json([...make, '--timestamp', 'forged.tsr', '--yes'])).toMatchObject({
      code: 1,
      result: { code: 'BAD_REQUEST', error: expect.stringMatching(/time-stamp/i) },
    });
    const made = await bea.json([...make, '--yes']);
    expect(made).toMatchObject({ code: 0, result: { status: 'open', mark: { id }, evidence: { state: 'none' } } });
    const { id: claimId } = made.result as { id: string };
    expect((await ada.run(['claim', 'answer', claimId, 'We did.', '--yes'])).code).toBe(0);
    expect((await bea.run(['claim', 'concede', claimId, '--yes'])).code).toBe(1);
    expect((await ada.run(['claim', 'concede', claimId, '--yes'])).code).toBe(0);
    const { stdout } = await (await Machine.create({ PROVENANCE_URL: service.url })).run([
      'claim',
      'list',
      fingerprint,
    ]);
    expect(stdout).toMatch(/: superseded\n {2}Contests 0x/);
    expect(stdout).toContain(
      "    > I took it.\n    > See the raw file.\n  Evidence: none\n  Answer of the Mark's admin (Ada",
    );
    const verified = await bea.run(['verify', 'photo.jpg', '--rpc-url', rpcUrl, '--contract', contract]);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('Registered, superseded. The chain')]);
  });
});

describe('bundle', () => {
  it('has everything that verify --bundle needs without the service', async () => {
    const { code, stdout } = await ada.run(['file', 'bundle', 'photo.jpg', '-ophoto.bundle']);
    expect([code, stdout]).toEqual([0, 'photo.bundle\n']);
    const offline = ada.with({ PROVENANCE_URL: 'http://127.0.0.1:1', PROVENANCE_RPC_URL: 'http://127.0.0.1:1' });
    const unpinned = await offline.json(['verify', '--bundle', 'photo.bundle', 'photo.jpg']);
    expect(unpinned).toMatchObject({
      code: 4,
      result: [{ verdict: 'consistent', checks: { manifest: { state: 'agrees' } } }],
    });
    const sources = ['--rpc-url', rpcUrl, '--contract', contract];
    const withChain = await offline.json(['verify', '--bundle', 'photo.bundle', 'photo.jpg', ...sources]);
    expect(withChain).toMatchObject({ code: 0, result: [{ verdict: 'verified' }] });
    const other = await offline.run(['verify', '--bundle', 'photo.bundle', 'other.jpg']);
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/^other\.jpg: CONTRADICTED$/m);
  });

  it('is verified by a key of the public log, and contradicted by another', async () => {
    const log = await createTestLog();
    const bundle = await makeBundle(fingerprint, { client: createClient({ baseUrl: service.url }) });
    await ada.file('logged.bundle', JSON.stringify({ ...bundle, log: await log.logLeaf(leafOf(bundle)) }));
    const verifyOffline = (...options: string[]) =>
      ada.run(['verify', '--bundle', 'logged.bundle', 'photo.jpg', ...options]);
    const { code, stdout } = await verifyOffline('--log-key', log.key, '--require', 'log');
    expect([code, stdout]).toEqual([0, expect.stringContaining('The public log confirms the registration')]);
    expect(stdout).toMatch(/^ {2}Log: confirmed$/m);
    expect(stdout).toMatch(/^ {4}Log +registry\.example\/log$\n^ {4}Leaf +5$/m);
    const otherKey = (await createTestLog('registry.example/log', 'another')).key;
    const refused = await ada
      .with({ PROVENANCE_LOG_KEY: otherKey })
      .run(['verify', '--bundle', 'logged.bundle', 'photo.jpg']);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('Problem (Log, RECEIPT_INVALID)')]);
    expect((await verifyOffline('--log-key', log.key.slice(0, -1))).code).toBe(2);
    const otherId = await verifyOffline(
      '--log-key',
      log.key.replace(/[0-9a-f](?=\+)/, (digit) => (digit === '0' ? '1' : '0')),
    );
    expect([otherId.code, otherId.stderr]).toEqual([2, expect.stringContaining('The keys of the log cannot be used')]);
  });

  it('was in the log before the block of an anchor, for those who compared the block and know the contract', async () => {
    const log = await createTestLog();
    const bundle = await makeBundle(fingerprint, { client: createClient({ baseUrl: service.url }) });
    const anchored = { ...(await log.logLeaf(leafOf(bundle))), anchor: await anchorLog(log, 5) };
    await ada.file('anchored.bundle', JSON.stringify({ ...bundle, log: anchored }));
    const verifyOffline = (...options: string[]) =>
      ada.run(['verify', '--bundle', 'anchored.bundle', 'photo.jpg', '--log-key', log.key, ...options]);
    const [, hash = ''] =
      / block 42 of the log's anchor with an explorer: (\S+)$/m.exec((await verifyOffline()).stdout) ?? [];
    const compared = ['--anchor-block-hash', hash];
    const proven = await verifyOffline(...compared, '--log-contract', LOG_CONTRACT);
    expect(proven.code).toBe(0);
    expect(proven.stdout).toMatch(/^ {4}Anchor +in the log before block 42, 2026-11-17T12:03:20\.000Z$/m);
    expect(proven.stdout).toMatch(/^ {4}2026-11-17T12:03:20\.000Z +block on chain before which the log had it$/m);
    expect(proven.stdout).not.toContain("of the log's anchor with an explorer");
    expect((await verifyOffline(...compared)).stdout).not.toMatch(/^ {4}Anchor /m);
    const other = `0x${'2'.repeat(40)}`;
    expect((await verifyOffline(...compared, '--log-contract', other)).stdout).not.toMatch(/^ {4}Anchor /m);
    expect((await verifyOffline('--log-contract', '0x12')).code).toBe(2);
    expect((await verifyOffline('--anchor-block-hash', '0x12')).code).toBe(2);
  });

  it('tells which block to compare with an explorer', async () => {
    const { code, result } = await ada.json(['file', 'bundle', 'photo.jpg', '-oblock.bundle']);
    const bundle = parseBundle(JSON.parse(await readFile(join(ada.home, 'block.bundle'), 'utf8')));
    const { blockNumber: number, blockHash: hash } = (await verifyBundle(bundle)).checks.chain.details;
    const { manifestId } = bundle;
    expect([code, result]).toEqual([0, { file: 'block.bundle', fingerprint, manifestId, block: { number, hash } }]);
    const verifyOffline = (...options: string[]) =>
      ada.run(['verify', '--bundle', 'block.bundle', '--contract', contract, fingerprint, ...options]);
    const unpinned = await verifyOffline();
    expect([unpinned.code, unpinned.stdout]).toEqual([
      4,
      expect.stringContaining(`\n  Compare block ${number} with an explorer: ${hash}\n`),
    ]);
    expect((await verifyOffline('--block-hash', `${hash}`)).code).toBe(0);
    expect((await verifyOffline('--block-hash', `${hash}`.slice(0, -1))).code).not.toBe(0);
    expect(
      (
        await verifyOffline(
          '--block-hash',
          `${hash}`.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
        )
      ).code,
    ).toBe(1);
  });

  it('says that it has no proof when the chain does not have the file yet', async () => {
    const empty = await startRegistryChain();
    try {
      const options = ['--rpc-url', empty.url, '--contract', contract, '-oearly.bundle'];
      expect(await ada.run(['file', 'bundle', 'photo.jpg', ...options])).toEqual({
        code: 0,
        stdout: 'early.bundle\n',
        stderr: 'provenance: The bundle has no proof: the file is not on chain yet. Create the bundle again later.\n',
      });
    } finally {
      await empty.close();
    }
  });

  it('overwrites a file only with --force', async () => {
    await ada.file('mine.txt', 'mine');
    const refused = await ada.run(['file', 'bundle', 'photo.jpg', '-o', 'mine.txt']);
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: 'provenance: mine.txt already exists. Use --force to overwrite it.\n',
    });
    expect(await readFile(join(ada.home, 'mine.txt'), 'utf8')).toBe('mine');
    expect((await ada.run(['file', 'bundle', 'photo.jpg', '-o', 'mine.txt', '--force'])).code).toBe(0);
    const { stdout } = await ada.run(['file', 'bundle', fingerprint, '-o', '-']);
    expect(JSON.parse(await readFile(join(ada.home, 'mine.txt'), 'utf8'))).toEqual({
      ...JSON.parse(stdout),
      maker: expect.objectContaining({ service: service.url }),
    });
  });

  it('an invalid bundle is refused', async () => {
    for (const content of ['{', '{"version": 2}']) {
      await ada.file('bad.json', content);
      const { code, result } = await ada.json(['verify', '--bundle', 'bad.json', 'photo.jpg']);
      expect([code, result]).toEqual([3, { error: expect.stringContaining('bad.json: '), code: 'BAD_BUNDLE' }]);
    }
  });
});
