// Tests of a client that reads the downloads of a real service, and refuses lies about them. Every client passes the same.

import { createHash, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { DownloadIndex } from '@provenance-registry/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, newFingerprint, startRegistry } from '../../../../test/support/artifacts.js';
import { createIndexSigner } from '../../../../test/support/indexSigners.js';
import { freePort } from '../../../../test/support/ports.js';
import { call, type Service } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { Machine, type ProcessResult } from './machine.js';

interface Version {
  readonly index: DownloadIndex;
  readonly jws: string;
}
interface Signer {
  /** DER. */
  readonly certificate: Buffer;
  readonly key: KeyObject;
}

let service: Service;
/** In front of the service, at its public URL. */
let proxy: Server;
let url: string;
/** What the proxy serves instead of the service's response, by path. */
let lies: Record<string, Buffer | string>;
/** Has the roots of the registry in `roots.pem`. */
let machine: Machine;
let [registered, unknown] = ['', newFingerprint()];
/** Two versions of the service, the earlier one first. */
let versions: [Version, Version];
/** Whose root is trusted beside that of the service, so that tests can sign anything; and whose root is not. */
let insider: Signer;
let stranger: Signer;
let root: Signer;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = await startRegistry({ DOWNLOADS_SECONDS: '1', BASE_URL: url });
  proxy = createServer(async (request, response) => {
    const path = request.url ?? '';
    const upstream = await fetch(`${service.url}${path}`);
    const body = Buffer.from(await upstream.arrayBuffer());
    response.writeHead(path in lies ? 200 : upstream.status, { 'content-type': 'application/json' });
    response.end(lies[path] ?? body);
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  const owner = await createUser(service, 'enterprise');
  const { body: mark } = await createMark(service, owner, { allowAiTraining: false });
  const artifact = newArtifact({ markId: mark.id });
  registered = artifact.fingerprint;
  expect((await createArtifact(service, owner, artifact)).status).toBe(201);
  machine = await Machine.create({ PROVENANCE_URL: url });
  const [own, other] = [await createIndexSigner('ES256'), await createIndexSigner('ES256')];
  insider = { certificate: own.signer, key: own.key };
  stranger = { certificate: other.signer, key: other.key };
  root = { certificate: new X509Certificate(own.root.certificate).raw, key: own.root.key };
  versions = [await nextVersion(), await nextVersion()];
  const published = await (await fetch(`${service.url}/.well-known/provenance-registry/signer-roots.pem`)).text();
  await machine.file('roots.pem', published + own.root.certificate);
});
beforeEach(() => {
  lies = {};
});
afterAll(() => proxy.close());

async function nextVersion(): Promise<Version> {
  const now = new Date().toISOString();
  let version: Version | undefined;
  await waitUntil(async () => {
    const { status, body } = await call(service, 'GET', '/api/v1/public/downloads');
    if (status !== 200 || body.index.createdAt < now) return false;
    version = body;
    return true;
  }, 'a version is published');
  if (!version) throw new Error('no version');
  return version;
}

const PATH = '/api/v1/public/downloads';
const serve = ({ index, jws }: Version) => ({ [PATH]: JSON.stringify({ index, jws }) });
const encode = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

function signIndex(index: object, { certificate, key }: Signer, header: object = {}): Version {
  const x5c = [certificate.toString('base64')];
  const signed = `${encode(JSON.stringify({ alg: 'ES256', typ: 'provenance-downloads+json', x5c, ...header }))}.${encode(JSON.stringify(index))}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return { index: versions[1].index, jws: `${signed}.${encode(signature)}` };
}

/** Runs the client of the downloads: `--update` first, or the options of a lookup. */
export type FilterClient = (folder: string, args: readonly string[], input?: string) => Promise<ProcessResult>;

const name = ({ index }: Version) => `/cdn/${index.filter.sha256}.filter`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A filter as the service made it, with four bytes of its header changed, under the name of its hash. */
async function changedFilter(offset: number, value: number) {
  const bytes = Buffer.from(await (await fetch(`${service.url}${name(versions[1])}`)).arrayBuffer());
  bytes.writeUInt32LE(value, offset);
  const index = { ...versions[1].index, filter: { ...versions[1].index.filter, sha256: sha256(bytes) } };
  return { ...serve(signIndex(index, insider)), [`/cdn/${sha256(bytes)}.filter`]: bytes };
}

/** Of the current version, signed by a trusted signer. */
const resign = (changes: object, header?: object) =>
  serve(signIndex({ ...versions[1].index, ...changes }, insider, header));

function changeDigit(fingerprint: string, at: number): string {
  return `${fingerprint.slice(0, at)}${fingerprint[at] === '0' ? '1' : '0'}${fingerprint.slice(at + 1)}`;
}

const DAY_MS = 86_400_000;
const LAST_OF_INDEX = 'pieces in another order';
/** Those that are found in a file come last. */
const attacks: [string, () => Promise<typeof lies> | typeof lies, RegExp][] = [
  ['an index that is no signature', () => ({ [PATH]: JSON.stringify({ ...versions[1], jws: 'a.b' }) }), /index/],
  [
    'a changed payload',
    () => {
      const [header, , signature] = versions[1].jws.split('.');
      const payload = encode(JSON.stringify({ ...versions[1].index, filesUrl: 'http://127.0.0.1:1' }));
      return serve({ ...versions[1], jws: `${header}.${payload}.${signature}` });
    },
    /signature/,
  ],
  ["another registry's signer", () => serve(signIndex(versions[1].index, stranger)), /trusted root/],
  ['a root that signs by itself', () => serve(signIndex(versions[1].index, root)), /one of a signer/],
  ['no algorithm', () => resign({}, { alg: 'none' }), /signature/],
  ['an algorithm of other keys', () => resign({}, { alg: 'PS256' }), /signature/],
  ['a signature for another purpose', () => resign({}, { typ: 'JWT' }), /header/],
  [
    'the index of another registry under the same root',
    () => resign({ registry: 'https://other.example' }),
    /other\.example/,
  ],
  ['the index of a registry whose URL has a digit less', () => resign({ registry: url.slice(0, -1) }), /127\.0\.0\.1/],
  ['an index from the future', () => resign({ createdAt: '2999-01-01T00:00:00.000Z' }), /future|trusted root/],
  ['an index after the next one', () => resign({ nextAt: versions[1].index.createdAt }), /after the next one/],
  ['an earlier index', () => serve(versions[0]), /older/],
  [
    'a filter of a terabyte',
    () => resign({ filter: { ...versions[1].index.filter, size: 2 ** 40 } }),
    /too large|not as documented/,
  ],
  [LAST_OF_INDEX, () => resign({ pieces: [...versions[1].index.pieces, ...versions[1].index.pieces] }), /order/],
  ['a filter with other segments', () => changedFilter(16, 0x4000_0000), /sizes/],
  ['a filter with more segments than bytes', () => changedFilter(20, 0xffff_ffff), /size/],
  ['a filter with another count', () => changedFilter(24, 5), /count/],
];

export function describeFilterClient(label: string, run: FilterClient): void {
  describe(label, () => {
    const folderOf = (use: string) => `${label.replaceAll(' ', '-')}-${use.replaceAll(' ', '-')}`;
    const ask = (folder: string, args: readonly string[] = []) => run(folder, args, `${registered}\n${unknown}\n`);

    it('answers offline after an update: no and maybe, or exactly with preferences', async () => {
      const folder = folderOf('offline');
      expect((await ask(folder)).code).toBe(3);
      expect(await run(folder, ['--update', '--exact'])).toMatchObject({ code: 0 });
      // Nothing is asked from here on.
      lies = { [PATH]: 'not JSON' };
      const input = `${registered}\n${registered.slice(2).toUpperCase()}  photo.jpg\n\n${unknown}\nnonsense\n`;
      const answered = await run(folder, [], input);
      expect([answered.code, answered.stdout]).toEqual([
        3,
        `${registered} maybe\n${registered} maybe\n${unknown} no\n`,
      ]);
      expect(answered.stderr).toMatch(/line 5 is not a fingerprint/i);
      const exact = await ask(folder, ['--exact']);
      expect(exact.code).toBe(0);
      const [found = '', missing] = exact.stdout.split('\n');
      expect(found).toMatch(new RegExp(`^${registered} registered .*ai_generative_training.*notAllowed`));
      expect(missing).toBe(`${unknown} no`);
      // The same but for one digit: the first, one in the middle, the last.
      const nearMisses = [2, 33, 65].map((at) => changeDigit(registered, at));
      const near = await run(folder, ['--exact'], `${nearMisses.join('\n')}\n`);
      expect([near.code, near.stdout]).toEqual([0, nearMisses.map((one) => `${one} no\n`).join('')]);
    });

    it('needs the snapshot for exact answers, and uses no file that changed on disk', async () => {
      const folder = folderOf('changed');
      expect(await run(folder, ['--update'])).toMatchObject({ code: 0 });
      expect((await ask(folder, ['--exact'])).code).toBe(3);
      const { index } = await readStored(folder);
      const path = join(machine.home, folder, `${index.filter.sha256}.filter`);
      const bytes = await readFile(path);
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      await writeFile(path, bytes);
      expect(await ask(folder)).toMatchObject({ code: 1, stdout: '' });
    });

    it('refuses what the registry did not sign, and keeps what it has', async () => {
      const folder = folderOf('attacks');
      let hasDownloads = false;
      for (const [attack, lie, reason] of attacks) {
        lies = serve(versions[1]);
        if (!hasDownloads)
          expect([attack, await run(folder, ['--update'])]).toEqual([attack, expect.objectContaining({ code: 0 })]);
        lies = await lie();
        const updated = await run(folder, ['--update']);
        // What is wrong inside of a file is found when it is read.
        hasDownloads = updated.code !== 0;
        const refused = hasDownloads ? updated : await ask(folder);
        expect([attack, refused.code, refused.stdout]).toEqual([attack, 1, '']);
        expect([attack, refused.stderr]).toEqual([attack, expect.stringMatching(reason)]);
        if (attack === LAST_OF_INDEX) expect((await ask(folder)).stdout).toContain(`${registered} maybe`);
      }
    });

    it('says first that downloads are out of date, and takes nothing in them for definite', async () => {
      const folder = folderOf('age');
      const createdAt = new Date(Date.now() - 7 * DAY_MS).toISOString();
      const nextAt = new Date(Date.now() - DAY_MS).toISOString();
      lies = resign({ createdAt, nextAt });
      const updated = await run(folder, ['--update', '--exact']);
      expect([updated.code, updated.stdout.split('\n')[0]]).toEqual([3, expect.stringMatching(/out of date/i)]);
      const age = ` out of date, as of ${createdAt}`;
      expect(await ask(folder)).toMatchObject({ code: 3, stdout: `${registered} maybe${age}\n${unknown} no${age}\n` });
      const exact = await ask(folder, ['--exact']);
      expect(exact.code).toBe(3);
      expect(exact.stdout.split('\n').filter((line) => line.endsWith(age))).toHaveLength(2);
      lies = serve(versions[1]);
      expect((await run(folder, ['--update'])).code).toBe(0);
      expect((await ask(folder)).stdout).toBe(`${registered} maybe\n${unknown} no\n`);
    });

    it('accepts an earlier index if it is told to', async () => {
      const folder = folderOf('rollback');
      for (const [version, args] of [
        [versions[1], []],
        [versions[0], ['--allow-older']],
      ] as const) {
        lies = serve(version);
        expect(await run(folder, ['--update', ...args])).toMatchObject({ code: 0 });
      }
      expect((await readStored(folder)).jws).toBe(versions[0].jws);
    });

    it.each<[string, (bytes: Buffer) => Buffer]>([
      ['cut off', (bytes) => bytes.subarray(0, -1)],
      [
        'with one bit changed',
        (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
      ],
      ['with a megabyte more', (bytes) => Buffer.concat([bytes, Buffer.alloc(1_000_000)])],
      ['that is another one', () => Buffer.alloc(0)],
    ])('refuses files %s', async (kind, tamper) => {
      const [piece] = versions[1].index.pieces;
      for (const path of [name(versions[1]), `/cdn/${piece?.sha256}.snapshot`]) {
        const bytes = Buffer.from(await (await fetch(`${service.url}${path}`)).arrayBuffer());
        lies = { ...serve(versions[1]), [path]: tamper(bytes) };
        const refused = await run(folderOf(`${kind} ${path.slice(-6)}`), ['--update', '--exact']);
        expect([path, refused.code]).toEqual([path, 1]);
      }
    });
  });
}

async function readStored(folder: string): Promise<Version> {
  const jws = await readFile(join(machine.home, folder, 'index.jws'), 'utf8');
  return { jws, index: JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) };
}

/** The registry, its URL for clients, and two fingerprints; known when the tests run. */
export const downloads = {
  get machine() {
    return machine;
  },
  get url() {
    return url;
  },
  get registered() {
    return registered;
  },
  get unknown() {
    return unknown;
  },
};
