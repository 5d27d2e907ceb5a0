// Copies of a registry's log and manifests: kept against sources that fail and lie, and verified with when the registry is gone.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Artifact, Fingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistrant, type Registrant } from '../../../test/support/registrants.js';
import { newDataFolder, type Service, startService } from '../../../test/support/service.js';
import { createClient, openMirror, verify as verifyFile, waitForStatus } from '../../client/src/index.js';
import {
  appendEntries,
  copyPaths,
  encodeIndex,
  encodeLeaf,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  type NoteSigner,
  signNote,
  type TreeEdge,
} from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { nodeHasher } from '../../log/test/support/vectors.js';
import { Machine, main } from './support/machine.js';

const Copied = Type.Object({
  size: Type.Integer(),
  url: Type.Union([Type.String(), Type.Null()]),
  manifests: Type.Union([Type.Object({ present: Type.Integer(), missing: Type.Integer() }), Type.Null()]),
});
const Verified = Type.Tuple([
  Type.Object({
    verdict: Type.String(),
    independentSources: Type.Array(Type.String()),
    reason: Type.Optional(Type.Unknown()),
  }),
]);

interface Source {
  readonly url: string;
  /** Paths that were read. */
  readonly read: string[];
}

const servers: (() => void)[] = [];
let machine: Machine;

afterAll(() => {
  for (const close of servers) close();
});

/** Serves what the function returns: undefined is 404, and a promise that never resolves hangs. */
async function startSource(
  find: (path: string) => Promise<Uint8Array | undefined> | Uint8Array | undefined,
): Promise<Source> {
  const read: string[] = [];
  const server = createServer(async ({ url = '' }, response) => {
    const path = url.slice(1);
    read.push(path);
    const bytes = await find(path);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, read };
}

/** Runs `log mirror --once`. */
async function copy(folder: string, ...options: readonly string[]) {
  const { code, result } = await machine.json(['log', 'mirror', folder, '--once', ...options]);
  return { code, result };
}

const pathOf = (...names: readonly string[]) => join(machine.home, ...names);

beforeAll(async () => {
  machine = await Machine.create();
});

describe('a copy of a log', () => {
  const signer = createSigner('log.example', 'log', 'copied log');
  const key = ['--log-key', formatVerifierKey(signer.key), '--log-only'];

  interface TestLog {
    readonly files: Map<string, Uint8Array>;
    readonly grow: (count: number, text?: string) => Promise<TestLog>;
  }

  function leafAt(index: number, salt: string): Uint8Array {
    const digest = createHash('sha256').update(`${salt} ${index}`).digest('hex');
    const hash: Fingerprint = `0x${digest}`;
    const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`;
    const content = {
      fingerprint: hash,
      id,
      manifest: hash,
      metadata: hash,
      hidden: hash,
      time: new Date(index).toISOString(),
    };
    return encodeLeaf({ kind: 'artifact', content });
  }

  async function makeLog(by: NoteSigner = signer): Promise<TestLog> {
    const files = new Map<string, Uint8Array>();
    let edge: TreeEdge = { size: 0, root: nodeHasher.emptyRoot, tiles: [], entries: [] };
    const log: TestLog = {
      files,
      async grow(count, text = '') {
        const added = Array.from({ length: count }, (_, place) => leafAt(edge.size + place, text));
        const next = appendEntries(edge, added, nodeHasher);
        edge = next.edge;
        for (const { path, bytes } of next.files) files.set(`log/${path}`, bytes);
        const checkpoint = formatCheckpoint({ origin: 'log.example', ...edge });
        const signatures = [await signNote(checkpoint, by)];
        files.set(copyPaths.checkpoint, Buffer.from(formatNote({ text: checkpoint, signatures })));
        return log;
      },
    };
    return log;
  }

  const serve = ({ files }: TestLog) => startSource((path) => files.get(path));

  async function listLog(folder: string): Promise<string[]> {
    const names = await readdir(pathOf(folder, 'log'), { recursive: true, withFileTypes: true });
    return names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(pathOf(folder).length + 1));
  }

  it('has every file of it byte for byte, and grows with it until its tiles are complete', async () => {
    const log = await (await makeLog()).grow(300);
    const source = await serve(log);
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({
      code: 0,
      result: { size: 300, manifests: null },
    });
    await log.grow(900);
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({ code: 0, result: { size: 1_200 } });
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({ result: { size: 1_200 } });
    const names = await listLog('grown');
    for (const name of names)
      expect((await readFile(pathOf('grown', name))).equals(log.files.get(name) ?? Buffer.of()), name).toBe(true);
    expect(names.filter((name) => name.includes('.p/')).toSorted()).toEqual([
      'log/tile/0/004.p/176',
      'log/tile/1/000.p/1',
      'log/tile/1/000.p/4',
      'log/tile/entries/004.p/176',
    ]);
    // Another copy, of the copy.
    expect(await copy('second', '--from', 'grown', ...key)).toMatchObject({ code: 0, result: { size: 1_200 } });
    // Without the incomplete tile of the earlier checkpoint.
    expect(names).toEqual(expect.arrayContaining(await listLog('second')));
  });

  it('is completed after a kill in the middle, without reading again what it has', async () => {
    const log = await (await makeLog()).grow(4_900);
    let stalled = () => {};
    const isStalled = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const slow = await startSource((path) => {
      if (!path.includes('entries/017')) return log.files.get(path);
      stalled();
      return new Promise(() => {});
    });
    const running = machine.spawn(process.execPath, [
      main,
      'log',
      'mirror',
      'killed',
      '--once',
      '--from',
      slow.url,
      ...key,
    ]);
    await isStalled;
    // A second one on the same folder has to wait.
    const second = await machine.run(['log', 'mirror', 'killed', '--once', '--from', slow.url, ...key]);
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('copies into killed already')]);
    running.process.kill('SIGKILL');
    await running.end;
    expect(await listLog('killed')).not.toContain('log/checkpoint');
    const source = await serve(log);
    expect(await copy('killed', '--from', source.url, ...key)).toMatchObject({ code: 0, result: { size: 4_900 } });
    expect(source.read.filter((path) => /entries\/0(0\d|1[0-5])$/.test(path))).toEqual([]);
    expect(source.read).toContain('log/tile/entries/017');
  });

  it('refuses another history of any length, a changed file and another key, and keeps both sides as evidence', async () => {
    const log = await (await makeLog()).grow(300);
    await copy('loyal', '--from', (await serve(log)).url, ...key);
    const before = await readFile(pathOf('loyal', copyPaths.checkpoint), 'utf8');
    const cases: readonly (readonly [TestLog, string])[] = [
      [await (await makeLog()).grow(300, 'fork'), 'another history'],
      [await (await makeLog()).grow(299, 'fork'), 'another history'],
      [await (await (await makeLog()).grow(300, 'fork')).grow(50), 'another history'],
      [await (await makeLog(createSigner('log.example', 'log', 'another'))).grow(300), 'not signed by the log'],
    ];
    for (const [fork, reason] of cases) {
      const { code, result } = await copy('loyal', '--from', (await serve(fork)).url, ...key);
      expect([code, result]).toEqual([1, expect.objectContaining({ error: expect.stringContaining(reason) })]);
      const saved = await newestEvidence('loyal');
      expect(await readFile(join(saved, 'known'), 'utf8')).toBe(before);
      expect(Buffer.from(fork.files.get(copyPaths.checkpoint) ?? []).equals(await readFile(join(saved, 'other')))).toBe(
        true,
      );
    }
    await log.grow(300);
    for (const path of ['log/tile/entries/001', 'log/tile/0/001', 'log/tile/1/000.p/2']) {
      const changed = Buffer.from(log.files.get(path) ?? []);
      changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
      const source = await startSource((name) => (name === path ? changed : log.files.get(name)));
      const { code, result } = await copy('loyal', '--from', source.url, ...key);
      expect([code, result], path).toEqual([
        1,
        expect.objectContaining({ error: expect.stringContaining('other files') }),
      ]);
      const saved = await newestEvidence('loyal');
      expect((await readdir(saved)).filter((name) => name.startsWith('file-')).length, path).toBeGreaterThan(0);
    }
    expect(await readFile(pathOf('loyal', copyPaths.checkpoint), 'utf8')).toBe(before);
    // Late, and no contradiction.
    const late = await (await makeLog()).grow(200);
    expect(await copy('loyal', '--from', (await serve(late)).url, ...key)).toMatchObject({
      code: 0,
      result: { size: 300 },
    });
    expect(await copy('loyal', '--from', (await serve(log)).url, ...key)).toMatchObject({
      code: 0,
      result: { size: 600 },
    });
  });

  async function newestEvidence(folder: string): Promise<string> {
    const names = (await readdir(pathOf(folder, 'evidence'))).toSorted();
    return pathOf(folder, 'evidence', names.at(-1) ?? '');
  }

  it('restores what was removed or damaged in it, or says what is missing', async () => {
    const log = await (await makeLog()).grow(700);
    const source = await serve(log);
    await copy('worn', '--from', source.url, ...key);
    const index = copyPaths.index(`0x${createHash('sha256').update(' 5').digest('hex')}`);
    const records = await readFile(pathOf('worn', index));
    for (const name of ['log/tile/entries/001', 'log/tile/0/000', 'log/tile/0/002.p/188', index])
      await rm(pathOf('worn', name));
    const damaged = Buffer.from(log.files.get('log/tile/entries/000') ?? []);
    damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
    await writeFile(pathOf('worn', 'log/tile/entries/000'), damaged);
    const { code, stderr } = await machine.run(['log', 'mirror', 'worn', '--once', '--from', source.url, ...key]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('damaged log/tile/entries/000')]);
    for (const name of await listLog('worn')) {
      expect((await readFile(pathOf('worn', name))).equals(log.files.get(name) ?? Buffer.of()), name).toBe(true);
    }
    expect((await readFile(pathOf('worn', index))).equals(records)).toBe(true);
    await rm(pathOf('worn', 'log/tile/entries/001'));
    const gone = await startSource((path) => (path === 'log/tile/entries/001' ? undefined : log.files.get(path)));
    const { result } = await copy('worn', '--from', gone.url, ...key);
    expect(result).toMatchObject({ error: expect.stringContaining('tile/entries/001'), code: 'SOURCE_UNUSABLE' });
  });
});

describe('a copy of a registry', () => {
  let service: Service;
  let ada: Registrant;
  let logKey: string;
  /** Names what the user knows of the registry. */
  let trust: readonly string[];
  let anchors: string;
  const files = ['dawn.txt', 'noon.txt', 'dusk.txt'] as const;
  let dawn: Artifact;
  let noon: Artifact;

  beforeAll(async () => {
    const dataDir = await newDataFolder();
    service = await startService({ DATA_DIR: dataDir });
    ada = await createRegistrant(service.url);
    for (const name of files) await machine.file(name, `a file: ${name}`);
    dawn = await register('dawn.txt');
    noon = await register('noon.txt');
    logKey = (await ada.client.getRegistryIdentity()).log?.vkey ?? '';
    anchors = join(dataDir, 'keys', 'authority.pem');
    trust = ['--log-key', logKey, '--trust-anchors', anchors];
  });

  /** Waits until its leaf is in the log and its manifest is published. */
  async function register(name: string): Promise<Artifact> {
    const fingerprint: Fingerprint = `0x${createHash('sha256').update(`a file: ${name}`).digest('hex')}`;
    await ada.client.createArtifact({ markId: ada.markId, fingerprint, filename: name });
    await ada.client.getReceipt({ fingerprint, wait: 20 });
    return waitForStatus(ada.client, fingerprint);
  }

  async function verify(name: string, mirror: string, ...options: readonly string[]) {
    const { code, result } = await machine.json(['verify', name, '--mirror', mirror, ...options]);
    const [{ verdict, independentSources, reason }] = Value.Parse(Verified, result);
    return { code, verdict, independentSources, reason };
  }

  const verified = { code: 0, verdict: 'verified', independentSources: ['manifest', 'log'] };

  it('follows it, serves what it has, and verifies files when the registry is gone', async () => {
    const running = machine.start([
      'log',
      'mirror',
      'copy',
      '--url',
      service.url,
      '--every',
      '1',
      '--serve',
      '0',
      '--json',
    ]);
    await running.waitForOutput('}\n');
    const first = Value.Parse(Copied, JSON.parse(running.output()));
    expect(first.manifests).toEqual({ present: 2, missing: 0 });
    await register('dusk.txt');
    await running.waitForOutput('manifests of 3 leaves');
    const url = first.url ?? '';
    const address = await fetch(`${url}/log/checkpoint`);
    expect(address.headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(`${url}/../.drafts`)).status).toBe(404);
    expect((await fetch(`${url}/log/checkpoint`, { method: 'POST' })).status).toBe(405);
    expect(await copy('of-copy', '--from', url)).toMatchObject({
      code: 0,
      result: { manifests: { present: 3, missing: 0 } },
    });
    await service.end();
    await running.waitForOutput('Trying again');
    for (const name of files) expect(await verify(name, 'copy', ...trust)).toEqual(verified);
    for (const place of [url, 'of-copy']) expect(await verify('dusk.txt', place, ...trust)).toEqual(verified);
    // By the roots alone, which vouch for the key, and by the SDK.
    expect(await verify('dawn.txt', url, '--trust-anchors', anchors)).toEqual(verified);
    const own = { logKeys: [logKey], mirror: openMirror(createClient({ baseUrl: url })) };
    expect(await verifyFile(dawn.fingerprint, own)).toMatchObject({ independentSources: ['log'] });
    running.interrupt();
    expect((await running.end).code).toBe(0);
  });

  it('proves nothing to those who know neither key nor roots, or demand a witness', async () => {
    expect(await verify('dawn.txt', 'copy')).toMatchObject({ code: 4, verdict: 'consistent', independentSources: [] });
    const stranger = formatVerifierKey(createSigner('w.example', 'cosignature', 'w').key);
    expect(await verify('dawn.txt', 'copy', ...trust, '--witness', stranger, '--require', 'log')).toMatchObject({
      code: 3,
      verdict: 'incomplete',
    });
    const other = formatVerifierKey(createSigner(logKey.split('+')[0] ?? '', 'log', 'other').key);
    expect(await verify('dawn.txt', 'copy', '--log-key', other)).toMatchObject({ code: 1, verdict: 'contradicted' });
    expect((await machine.run(['verify', 'dawn.txt', '--mirror', 'copy', '--direct'])).code).toBe(2);
  });

  it('says of a file that it does not have only that', async () => {
    await machine.file('night.txt', 'never registered');
    const { code, stdout } = await machine.run(['verify', 'night.txt', '--mirror', 'copy', ...trust]);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect([code, words]).toEqual([
      1,
      expect.stringMatching(/This copy has no registration of this file among the first \d+ leaves of the log /),
    ]);
    expect(words).not.toContain('not registered');
    const none = await verify('dawn.txt', 'no-such-folder', ...trust);
    expect(none).toMatchObject({ code: 3, verdict: 'incomplete' });
  });

  it('that lies never makes a file verified', async () => {
    const leaf = (name: string) => copyPaths.index(`0x${createHash('sha256').update(`a file: ${name}`).digest('hex')}`);
    const read = (name: string) => readFile(pathOf('copy', name));
    const checkpoint = await readFile(pathOf('copy', copyPaths.checkpoint), 'utf8');
    const [bundle = ''] = (await readdir(pathOf('copy', 'log/tile/entries'), { recursive: true })).filter((name) =>
      /\/\d+$/.test(name),
    );
    const entries = `log/tile/entries/${bundle}`;
    const swap = (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replaceAll(noon.fingerprint.slice(2), dawn.fingerprint.slice(2)), 'latin1');
    const lies: Readonly<
      Record<string, readonly [path: string, bytes: Uint8Array | string | undefined, verdict: string]>
    > = {
      'the leaf of another file': [
        leaf('dawn.txt'),
        encodeIndex([{ fingerprint: dawn.fingerprint, index: await indexOf(noon) }]),
        'contradicted',
      ],
      'a swapped leaf': [
        leaf('dawn.txt'),
        encodeIndex([{ fingerprint: dawn.fingerprint, index: await indexOf(noon) }]),
        'contradicted',
      ],
      'the manifest of another file': [
        copyPaths.manifest(dawn.id),
        await read(copyPaths.manifest(noon.id)),
        'contradicted',
      ],
      'a changed manifest': [
        copyPaths.manifest(dawn.id),
        flip(await read(copyPaths.manifest(dawn.id))),
        'contradicted',
      ],
      'a checkpoint of another root': [
        copyPaths.checkpoint,
        checkpoint.replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${'A'.repeat(43)}=\n`),
        'contradicted',
      ],
      'no index': [leaf('dawn.txt'), undefined, 'unknown'],
      'no checkpoint': [copyPaths.checkpoint, undefined, 'incomplete'],
    };
    for (const [lie, [path, bytes, verdict]] of Object.entries(lies)) {
      await rm(pathOf('lying'), { recursive: true, force: true });
      await cp(pathOf('copy'), pathOf('lying'), { recursive: true });
      if (lie === 'a swapped leaf') await writeFile(pathOf('lying', entries), swap(await read(entries)));
      if (bytes === undefined) await rm(pathOf('lying', path));
      else await writeFile(pathOf('lying', path), bytes);
      expect((await verify('dawn.txt', 'lying', ...trust)).verdict, lie).toBe(verdict);
    }
  });

  async function indexOf({ fingerprint }: Artifact): Promise<number> {
    const bytes = await readFile(pathOf('copy', copyPaths.index(fingerprint)));
    return Number(bytes.readBigUInt64BE(32));
  }

  function flip(bytes: Buffer): Buffer {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(changed.length - 40) ^ 1, changed.length - 40);
    return changed;
  }

  it('takes a manifest only if it is that of its leaf, and counts those that are not there', async () => {
    let served: 'none' | 'other' | 'right' = 'none';
    const source = await startSource(async (path) => {
      const isDawn = path === copyPaths.manifest(dawn.id);
      if (isDawn && served === 'none') return undefined;
      const name = isDawn && served === 'other' ? copyPaths.manifest(noon.id) : path;
      return readFile(pathOf('copy', name)).catch(() => undefined);
    });
    const options = ['--from', source.url, '--log-key', logKey];
    expect(await copy('partial', ...options)).toMatchObject({
      code: 0,
      result: { manifests: { present: 2, missing: 1 } },
    });
    expect(await verify('dawn.txt', 'partial', ...trust, '--require', 'manifest')).toMatchObject({
      code: 3,
      verdict: 'incomplete',
    });
    served = 'other';
    const refused = await copy('partial', ...options);
    expect(refused).toMatchObject({ code: 1, result: { error: expect.stringContaining('other manifests') } });
    const [saved = ''] = await readdir(pathOf('partial', 'evidence'));
    expect(await readdir(pathOf('partial', 'evidence', saved))).toContain('manifest.c2pa');
    served = 'right';
    expect(await copy('partial', ...options)).toMatchObject({
      code: 0,
      result: { manifests: { present: 3, missing: 0 } },
    });
    expect(await verify('dawn.txt', 'partial', ...trust)).toEqual(verified);
  });
});
