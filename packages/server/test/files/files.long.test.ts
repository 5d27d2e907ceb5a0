// Published files: both stores, their failures, and how the service serves them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import {
  call,
  newDataFolder,
  type Service,
  startService,
  temporaryFolder,
  waitForLog,
} from '../../../../test/support/service.js';
import type { FileStore } from '../../src/domain/ports/index.js';
import { openDiskStore } from '../../src/files/disk.js';
import { openS3Store } from '../../src/files/s3.js';
import { defaultS3Limits } from '../../src/files/s3Bucket.js';
import { type S3, startS3 } from '../support/s3.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const newName = (extension = 'json') => `${randomUUID()}.${extension}`;
const unavailable = expect.objectContaining({ code: 'UNAVAILABLE' });

const publisher = fileURLToPath(new URL('../support/publisher.mjs', import.meta.url));

let s3: S3;
beforeAll(async () => {
  s3 = await startS3(await temporaryFolder());
});
afterAll(() => s3.stop());

/** A prefix with characters that need different kinds of escaping. */
const prefix = "some files/a+b!(c)*'d";

/** Each store, with a function that lists its files independently. */
const stores: [string, () => Promise<{ store: FileStore; look: () => Promise<string[]> }>][] = [
  [
    'on disk',
    async () => {
      const folder = join(await temporaryFolder(), 'data', 'public');
      const parent = join(folder, '..', '..');
      return { store: await openDiskStore(folder), look: () => filesBelow(parent) };
    },
  ],
  [
    'in a bucket',
    async () => {
      const folder = await temporaryFolder();
      const own = await startS3(folder);
      stops.push(own.stop);
      const limits = { ...defaultS3Limits, listPageSize: 2 };
      const store = openS3Store({ bucket: own.bucket, prefix }, own.environment, limits);
      return { store, look: () => filesBelow(folder) };
    },
  ],
];
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe.each(stores)('a store %s', (_, open) => {
  let store: FileStore;
  let look: () => Promise<string[]>;
  beforeAll(async () => {
    ({ store, look } = await open());
  });

  it.each(['c2pa', 'json', 'png'])('returns a file published as .%s until it is removed', async (kind) => {
    const name = newName(kind);
    expect(await store.read(name)).toBeUndefined();
    await store.publish({ [name]: bytesOf(kind) });
    expect(Buffer.from((await store.read(name)) ?? []).toString()).toBe(kind);
    await store.remove(name);
    expect(await store.read(name)).toBeUndefined();
  });

  it('accepts the same file twice, also at the same time', async () => {
    const name = newName();
    await store.publish({ [name]: bytesOf('{}') });
    await Promise.all([store.publish({ [name]: bytesOf('{}') }), store.publish({ [name]: bytesOf('{}') })]);
    expect(Buffer.from((await store.read(name)) ?? []).toString()).toBe('{}');
  });

  it('publishes the files of an Artifact together', async () => {
    const id = randomUUID();
    const files = Object.fromEntries(['c2pa', 'json', 'png'].map((kind) => [`${id}.${kind}`, bytesOf(`the ${kind}`)]));
    await store.publish(files);
    for (const kind of ['c2pa', 'json', 'png']) {
      expect(Buffer.from((await store.read(`${id}.${kind}`)) ?? []).toString()).toBe(`the ${kind}`);
    }
  });

  it('lists each published file once, with its time', async () => {
    const names = Array.from({ length: 5 }, () => newName());
    const began = Date.now();
    for (const name of names) await store.publish({ [name]: bytesOf(name) });
    const listed = [];
    for await (const part of store.list()) listed.push(...part);
    const own = listed.filter(({ name }) => names.includes(name));
    expect(own.map(({ name }) => name).sort()).toEqual(names.sort());
    // Stores report whole seconds.
    for (const { modifiedAt } of own) expect(modifiedAt.getTime()).toBeGreaterThan(began - 2_000);
  });

  it('accepts the removal of a missing file', async () => {
    await store.remove(newName());
  });

  it('keeps an empty file and all bytes of one with 5 MB', async () => {
    const [empty, large] = [newName('c2pa'), newName('png')];
    const content = Buffer.alloc(5_000_000, 'every byte counts');
    await store.publish({ [empty]: new Uint8Array() });
    await store.publish({ [large]: content });
    expect((await store.read(empty))?.length).toBe(0);
    expect(content.equals((await store.read(large)) ?? new Uint8Array())).toBe(true);
  });

  it('is ready', async () => {
    const before = await look();
    await store.check();
    expect(await look()).toEqual(before);
  });

  it.each([
    ['nothing', ''],
    ['a way up', '../x'],
    ['a way up to a proper name', `../${newName()}`],
    ['a way down and up', 'a/../../b'],
    ['a folder', `a/${newName()}`],
    ['an absolute path', `/tmp/${newName()}`],
    ['a path of Windows', `..\\${newName()}`],
    ['escaped dots', `%2e%2e%2f${newName()}`],
    ['a NUL at the end', `${newName()}\0`],
    ['a NUL before the extension', `${randomUUID()}\0.json`],
    ['a line break at the end', `${newName()}\n`],
    ['a query', `${newName()}?acl`],
    ['upper case', newName().toUpperCase()],
    ['an extension in upper case', newName('JSON')],
    ['another extension', newName('html')],
    ['no extension', randomUUID()],
    ['two extensions', `${newName()}.png`],
    ['a member of every object', `${randomUUID()}.constructor`],
    ['ten thousand characters', `${'a'.repeat(10_000)}.json`],
  ])('rejects a name that is or has %s', async (_, name) => {
    const before = await look();
    await expect(store.publish({ [name]: bytesOf('x') })).rejects.toThrow('not the name of a published file');
    await expect(store.read(name)).rejects.toThrow('not the name of a published file');
    await expect(store.remove(name)).rejects.toThrow('not the name of a published file');
    expect(await look()).toEqual(before);
  });
});

describe('on disk', () => {
  it('a process that is killed while writing leaves no partial file, and its draft is removed later', async () => {
    const folder = await temporaryFolder();
    const size = 64 * 1024 * 1024;
    let leftOver: string | undefined;
    for (let round = 0; leftOver === undefined; round += 1) {
      const name = newName('c2pa');
      const child = spawn(process.execPath, [publisher, folder, name, String(size)]);
      const watcher = watch(folder, () => child.kill('SIGKILL'));
      await once(child, 'close');
      watcher.close();
      const published = await readFile(join(folder, name)).catch(() => undefined);
      expect([undefined, size]).toContain(published?.length);
      await rm(join(folder, name), { force: true });
      [leftOver] = await readdir(folder);
      // It cannot always be faster than the signal.
      expect(round).toBeLessThan(20);
    }

    // Another process may still be writing it.
    await openDiskStore(folder);
    expect(await readdir(folder)).toEqual([leftOver]);
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await utimes(join(folder, String(leftOver)), twoHoursAgo, twoHoursAgo);
    const published = newName();
    await writeFile(join(folder, published), '{}');
    await utimes(join(folder, published), twoHoursAgo, twoHoursAgo);
    await openDiskStore(folder);
    expect(await readdir(folder)).toEqual([published]);
  });

  it('a file that does not fit on the disk is UNAVAILABLE and leaves nothing', async () => {
    const folder = await temporaryFolder();
    const name = newName('png');
    // A limit on file sizes stops a write in the middle, like a full disk.
    const command = 'ulimit -f 1000 && exec "$0" "$@"';
    const child = spawn('bash', ['-c', command, process.execPath, publisher, folder, name, '5000000']);
    expect(await text(child.stdout)).toBe('UNAVAILABLE');
    expect(await readdir(folder)).toEqual([]);
  });

  it('a file that cannot be replaced stays unchanged and leaves no draft', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskStore(folder);
    const name = newName();
    await store.publish({ [name]: bytesOf('{"whole":true}') });
    const child = spawn('bash', [
      '-c',
      'ulimit -f 1 && exec "$0" "$@"',
      process.execPath,
      publisher,
      folder,
      name,
      '9999',
    ]);
    expect(await text(child.stdout)).toBe('UNAVAILABLE');
    expect(await readFile(join(folder, name), 'utf8')).toBe('{"whole":true}');
    expect(await readdir(folder)).toEqual([name]);
  });

  it('a set of files with one that cannot be renamed leaves no draft', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskStore(folder);
    const [free, blocked] = [newName('c2pa'), newName('json')];
    await mkdir(join(folder, blocked, 'full'), { recursive: true });
    await expect(store.publish({ [blocked]: bytesOf('{}'), [free]: bytesOf('x') })).rejects.toEqual(unavailable);
    expect(await readdir(folder)).toEqual([blocked]);
  });

  it('a missing folder is UNAVAILABLE', async () => {
    const folder = join(await temporaryFolder(), 'public');
    const store = await openDiskStore(folder);
    await rm(folder, { recursive: true });
    await expect(store.check()).rejects.toEqual(unavailable);
    await expect(store.publish({ [newName()]: bytesOf('{}') })).rejects.toEqual(unavailable);
  });
});

describe('the service', () => {
  let service: Service;
  let store: FileStore;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await newDataFolder();
    service = await startService({ DATA_DIR: dataDir });
    store = await openDiskStore(join(dataDir, 'public'));
  });

  it.each([
    ['c2pa', 'application/c2pa'],
    ['json', 'application/json'],
    ['png', 'image/png'],
  ])('serves a .%s as %s to all origins, with immutable caching', async (kind, type) => {
    const name = newName(kind);
    const content = JSON.stringify({ kind });
    await store.publish({ [name]: bytesOf(content) });
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${service.url}/cdn/${name}`, { method });
      expect([answer.status, await answer.text()]).toEqual([200, method === 'GET' ? content : '']);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': type,
        'content-length': String(content.length),
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[\w-]+"$/),
      });
    }
  });

  it('responds with 304 if the client has the file', async () => {
    const [name, other] = [newName(), newName()];
    await store.publish({ [name]: bytesOf('{}') });
    await store.publish({ [other]: bytesOf('[]') });
    const etag = (await fetch(`${service.url}/cdn/${name}`)).headers.get('etag') ?? '';
    const otherTag = (await fetch(`${service.url}/cdn/${other}`)).headers.get('etag') ?? '';
    expect(otherTag).not.toBe(etag);
    for (const known of [etag, `W/${etag}`, `${otherTag}, ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(`${service.url}/cdn/${name}`, { method, headers: { 'if-none-match': known } });
        expect([answer.status, await answer.text()]).toEqual([304, '']);
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      }
    }
    const answer = await fetch(`${service.url}/cdn/${name}`, { headers: { 'if-none-match': otherTag } });
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  });

  it.each([
    ['unknown', newName()],
    ['of another kind', newName('html')],
    ['in upper case', newName().toUpperCase()],
    ['nothing', ''],
    ['a way up to a secret', '..%2fjwt-secret'],
    ['a way up, unescaped', '../jwt-secret'],
    ['a way up, escaped twice', '%252e%252e%252fjwt-secret'],
    ['an absolute path', '%2fetc%2fpasswd'],
    ['cut by a NUL', `${newName()}%00`],
    ['of ninety characters', 'a'.repeat(90)],
  ])('has no file whose name is %s, and the 404 is not cached', async (_, name) => {
    const { port } = new URL(service.url);
    // Sent unchanged: fetch would normalize the path.
    const request = httpRequest({ port, host: '127.0.0.1', path: `/cdn/${name}` }).end();
    const [answer] = await once(request, 'response');
    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(await text(answer))).toEqual({ error: expect.any(String), code: 'NOT_FOUND' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  // A check that takes longer than two seconds counts as unavailable: on a busy machine others may, too.
  const answerOf = async (at: Service, path: string) => {
    const { status, body } = await call(at, 'GET', path);
    return { ...body, status };
  };

  it('is not ready for writes while the folder is not writable, and logs the reason', async () => {
    await expect.poll(() => answerOf(service, '/readyz')).toMatchObject({ checks: { files: 'ok' } });
    const folder = join(dataDir, 'public');
    await rm(folder, { recursive: true });
    const notReady = { status: 503, error: 'Not ready: files.', code: 'UNAVAILABLE' };
    await expect.poll(() => answerOf(service, '/readyz/writes')).toEqual(notReady);
    await waitForLog(service, 'ENOENT');
    const readsAreReady = { status: 200, checks: { database: 'ok', files: 'unavailable' } };
    await expect.poll(() => answerOf(service, '/readyz')).toMatchObject(readsAreReady);
    await mkdir(folder);
    await expect.poll(() => answerOf(service, '/readyz/writes')).toMatchObject({ status: 200 });
  });

  it('with a bucket is ready if the bucket is, and serves no files itself', async () => {
    const own = await temporaryFolder();
    const environment = { ...s3.environment, STORAGE_URL: `s3://${s3.bucket}/some/folder`, DATA_DIR: own };
    const inBucket = await startService(environment);
    await expect.poll(() => answerOf(inBucket, '/readyz')).toMatchObject({ checks: { files: 'ok' } });
    expect(existsSync(join(own, 'public'))).toBe(false);
    const name = newName();
    await openS3Store({ bucket: s3.bucket, prefix: 'some/folder' }, s3.environment).publish({ [name]: bytesOf('{}') });
    expect((await call(inBucket, 'GET', `/cdn/${name}`)).status).toBe(404);
  });

  it('with a missing bucket is not ready for writes, and logs the reason', async () => {
    const inBucket = await startService({ ...s3.environment, STORAGE_URL: 's3://not-there' });
    const notReady = { status: 503, error: 'Not ready: files.' };
    await expect.poll(() => answerOf(inBucket, '/readyz/writes')).toMatchObject(notReady);
    await waitForLog(inBucket, 'NoSuchBucket');
  });
});
