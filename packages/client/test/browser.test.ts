// The SDK in a real browser, bundled by Vite and by esbuild, in a page whose Content-Security-Policy forbids eval.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codeDistance, type ImageCodes } from '@provenance-registry/core';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getBrowser } from '../../../test/support/browser.js';
import { newFile } from '../../../test/support/files.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { type Service, startService, temporaryFolder } from '../../../test/support/service.js';
import { LISTS, listOnly, startTamperingProxy, type Tamperings } from '../../../test/support/tamperingProxy.js';
import { makeVariedImages } from '../../../test/support/variedImages.js';
import { draw, pngHeader } from '../../server/test/support/pictures.js';
import { flac, melody } from '../../server/test/support/sounds.js';
import { type FileCodes, waitForStatus } from '../src/index.js';
import { computeCodes, hashFile } from '../src/node/index.js';

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src *";
const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

const site = await temporaryFolder();
/** The site relays calls to the development chain, which refuses pages of other origins than the service's. */
const NODE_PATH = '/node';
let nodeUrl = '';
const server = createServer(async (request, response) => {
  if (request.url === NODE_PATH) {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.concat(await request.toArray());
    response.end(await (await fetch(nodeUrl, { method: 'POST', headers, body })).text());
    return;
  }
  if (request.url?.startsWith('/moved/')) return void response.writeHead(302, { location: '/elsewhere' }).end();
  const path = request.url?.replace(/\/$/, '/index.html') ?? '';
  const bytes = await readFile(join(site, path)).catch(() => undefined);
  const headers = { 'content-type': mediaTypes[extname(path)] ?? '', 'content-security-policy': policy };
  response.writeHead(bytes ? 200 : 404, headers).end(bytes);
});
let service: Service;
let browser: Browser;
let page: Page;
const bundlers = ['vite', 'esbuild'] as const;
const pageErrors: string[] = [];

beforeAll(async () => {
  const [script, root] = ['./support/bundlePage.mjs', './support/page'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  await promisify(execFile)(process.execPath, [script ?? '', root ?? '', site], { env: {} });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service = await startService();
  browser = await getBrowser();
  page = await openPage('vite');
});
afterAll(() => server.close());

async function openPage(bundler: (typeof bundlers)[number]): Promise<Page> {
  const opened = await browser.newPage();
  opened.on('console', (message) => pageErrors.push(message.text()));
  opened.on('pageerror', (error) => pageErrors.push(error.message));
  await opened.goto(`${siteUrl()}/${bundler}/`, { waitUntil: 'networkidle' });
  return opened;
}

function siteUrl(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs code in the page, where `sdk` has the SDK's exports. */
function runInPage<T>(work: string, argument?: unknown, where = page): Promise<T> {
  return where.evaluate(`(${work})(${JSON.stringify(argument)})`);
}

test.each([0, 1, 4 * 1024 * 1024, 9 * 1024 * 1024 + 1])('a file of %i bytes is hashed in a worker', async (size) => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, Buffer.alloc(size, 'some content '));
  await page.getByLabel('file').setInputFiles(path);
  const { hashed, progress } = await runInPage<{
    hashed: unknown;
    progress: { bytes: number; total: number }[];
  }>(`async () => {
    const [file] = document.querySelector('input').files;
    const progress = [];
    const hashed = await sdk.hashBlob(file, { onProgress: (step) => progress.push(step) });
    return { hashed, progress };
  }`);
  expect(hashed).toEqual(await hashFile(path));
  expect(progress.at(-1)).toEqual(size === 0 ? undefined : { bytes: size, total: size });
});

test('a file that was modified after it was chosen is rejected', async () => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, 'before');
  await page.getByLabel('file').setInputFiles(path);
  expect(await runInPage(`() => document.querySelector('input').files[0].size`)).toBe('before'.length);
  await writeFile(path, 'after and longer');
  // Browsers compare modification times, and two writes may share one tick of the file system's clock.
  await utimes(path, new Date(), new Date(Date.now() + 10_000));
  const hashing = runInPage(`() => sdk.hashBlob(document.querySelector('input').files[0])`);
  await expect(hashing).rejects.toThrow('NotReadableError');
});

test('a deleted file is rejected, not hashed as an empty one', async () => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, 'here for a moment');
  await page.getByLabel('file').setInputFiles(path);
  await rm(path);
  const hashing = runInPage(`() => sdk.hashBlob(document.querySelector('input').files[0])`);
  await expect(hashing).rejects.toThrow('NotFoundError');
});

test('an abort ends hashing in the page', async () => {
  const hashing = runInPage(`async () => {
    const stop = new AbortController();
    const blob = new Blob([new Uint8Array(64 * 1024 * 1024)]);
    await sdk.hashBlob(blob, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) });
  }`);
  await expect(hashing).rejects.toThrow('enough');
});

test('many files are hashed at once, also after others were aborted', async () => {
  const [hashes, wanted] = await runInPage<[string[], string[]]>(`async () => {
    const stopped = AbortSignal.abort();
    const blobs = Array.from({ length: 40 }, (_, number) => new Blob(['file ' + number]));
    const hashing = blobs.map((blob, number) =>
      sdk.hashBlob(blob, number % 4 === 3 ? { signal: stopped } : {}).then(({ fingerprint }) => fingerprint, () => 'stopped'));
    const again = (await Promise.all(hashing)).map((hash, number) => hash === 'stopped' ? sdk.hashBlob(blobs[number]) : hash);
    const texts = (await Promise.all(again)).map((hash) => hash.fingerprint ?? hash);
    const digest = async (blob) => '0x' + new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer())).toHex();
    return [texts, await Promise.all(blobs.map(digest))];
  }`);
  expect(hashes).toEqual(wanted);
});

/** Bits that differ between two sets of codes; of a code that only one of them has, all. */
function largestDistance(a: ImageCodes | undefined, b: ImageCodes | undefined): number {
  const names = ['pHash', 'dHash', 'pHashCenter90', 'pHashCenter80'] as const;
  const distances = names.map((name) => {
    const [one, other] = [a?.[name], b?.[name]];
    return one !== undefined && other !== undefined ? codeDistance(one, other) : one === other ? 0 : 64;
  });
  return Math.max(...distances);
}

test('of 99 % of more than 200 varied images, each code is at most 2 bits from that of the service', async () => {
  // No Chromium reads TIFF, and none reads HEIC without a license.
  const images = (await makeVariedImages()).filter(({ name }) => !/TIFF|HEIC|HEIF/i.test(name));
  for (let seed = 0; images.length < 220; seed += 1) {
    const image = draw({ seed: 500 + seed, width: 240 + seed * 5, height: 180 + (seed % 7) * 31, cell: 40 });
    const encoded = [image.jpeg(), image.ensureAlpha(0.3).png(), image.toColourspace('cmyk').jpeg(), image.webp()];
    images.push({ name: `picture ${seed}`, bytes: await (encoded[seed % 4] ?? image).toBuffer() });
  }
  const inNode = await Promise.all(images.map(({ bytes }) => computeCodes(bytes, { questions: true })));
  const inPage = await runInPage<FileCodes[]>(
    `async (files) => {
      const results = [];
      for (const file of files) results.push(sdk.computeCodes(new Blob([Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0))])));
      return Promise.all(results);
    }`,
    images.map(({ bytes }) => bytes.toString('base64')),
  );
  const far = images.flatMap(({ name }, index) => {
    const [node, browser] = [inNode[index], inPage[index]];
    const distance = largestDistance(node?.codes, browser?.codes);
    return distance > 2 ? [`${name}: ${distance} ${node?.missing} ${browser?.missing}`] : [];
  });
  expect(far.length / images.length, far.join('\n')).toBeLessThanOrEqual(0.01);
  expect(inPage.filter(({ questions }) => questions?.length === 8).length).toBeGreaterThanOrEqual(200);
});

test.each(bundlers)(
  'a page that %s built computes the Chromaprint of a recording, and no codes of bombs',
  async (bundler) => {
    const sound = Buffer.from(flac(melody(12)));
    const opened = await openPage(bundler);
    const files = [sound, pngHeader(30_000), Buffer.from('RIFF....WAVEbroken'), Buffer.from('plain text')];
    const results = await runInPage(
      `(files) => Promise.all(files.map((file) => sdk.computeCodes(new Blob([Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0))]))))`,
      files.map((bytes) => bytes.toString('base64')),
      opened,
    );
    const { chromaprint } = await computeCodes(sound);
    expect(chromaprint).toMatch(/^AQA/);
    expect(results).toEqual([
      { chromaprint },
      { missing: 'too-large' },
      { missing: expect.any(String) },
      { missing: 'unsupported' },
    ]);
    await opened.close();
  },
);

test('a redirect, which a browser does not show, is reported and not followed', async () => {
  const calling = runInPage(`(baseUrl) => sdk.createClient({ baseUrl }).getHealth()`, `${siteUrl()}/moved`);
  await expect(calling).rejects.toThrow(/InvalidResponseError: .*\/moved\/healthz redirects to another address/);
});

test.each(bundlers)(
  'a page that %s built hashes and verifies a file, reads a manifest in an image, and detects a dishonest service',
  async (bundler) => {
    const { client, markId } = await createRegistrant(service.url);
    const { bytes, fingerprint } = newFile();
    await client.createArtifact({ markId, fingerprint, filename: 'file' });
    await waitForStatus(client, fingerprint);
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#336699' } })
      .png()
      .toBuffer();
    // Unique, so that it is not registered yet.
    const file = new File([png, bytes], 'dot.png', { type: 'image/png' });
    const { image = new Uint8Array() } = await client.signImage({ markId, file });
    const { rpcUrl = '', address } = await client.getContract();
    nodeUrl = rpcUrl;
    const verify = `async ({ text, image, baseUrl, chain }) => {
      const { fingerprint } = await sdk.hashBlob(new Blob([text]));
      const client = sdk.createClient({ baseUrl });
      const { verdict, checks } = await sdk.verify(fingerprint, { client, chain });
      const bundle = await sdk.makeBundle(fingerprint, { client, chain }).then(sdk.verifyBundle);
      const signed = new Blob([Uint8Array.from(atob(image), (byte) => byte.charCodeAt(0))]);
      const embedded = await sdk.readEmbeddedManifest(signed);
      return [verdict, ...Object.values(checks).map(({ state }) => state), bundle.verdict, embedded?.state];
    }`;
    const input = {
      text: new TextDecoder().decode(bytes),
      image: Buffer.from(image).toString('base64'),
      baseUrl: service.url,
      chain: { rpcUrl: `${siteUrl()}${NODE_PATH}`, address },
    };
    const opened = await openPage(bundler);
    const honest = await runInPage(verify, input, opened);
    expect(honest).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed', 'consistent', 'intact']);
    const tamperings: Tamperings = { json: { [LISTS]: listOnly() } };
    const baseUrl = await startTamperingProxy(service.url, tamperings);
    const dishonest = await runInPage(verify, { ...input, baseUrl }, opened);
    // The service hides the file in its lists only: what it serves for the bundle is genuine.
    expect(dishonest).toEqual(['contradicted', 'contradicted', 'confirmed', 'confirmed', 'consistent', 'intact']);
    expect(pageErrors).toEqual([]);
    await opened.close();
  },
);
