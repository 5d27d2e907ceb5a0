// Copies of a registry's log and manifests: kept while it runs, and verified with when it is gone.

import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifact, Fingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRegistrant, type Registrant } from '../../../test/support/registrants.js';
import { newDataFolder, type Service, startService } from '../../../test/support/service.js';
import { createClient, openMirror, verify as verifyFile, waitForStatus } from '../../client/src/index.js';
import { copyPaths, encodeIndex, formatVerifierKey } from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { startSource } from './support/logSources.js';
import { Machine } from './support/machine.js';

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

let machine: Machine;

/** Runs `log mirror --once`. */
async function copy(folder: string, ...options: readonly string[]) {
  const { code, result } = await machine.json(['log', 'mirror', folder, '--once', ...options]);
  return { code, result };
}

const pathOf = (...names: readonly string[]) => join(machine.home, ...names);

beforeAll(async () => {
  machine = await Machine.create();
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
