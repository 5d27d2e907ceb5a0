// The SDK in a real browser, bundled by Vite and by esbuild, in a page whose Content-Security-Policy forbids eval.

import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { LISTS, listOnly, startTamperingProxy, type Tamperings } from '../../../test/support/tamperingProxy.js';
import { pngHeader } from '../../server/test/support/pictures.js';
import { flac, melody } from '../../server/test/support/sounds.js';
import { waitForStatus } from '../src/index.js';
import { computePerceptualHashes, hashFile } from '../src/node/index.js';
import { bundlers, runInPage, startSdkSite } from './support/sdkSite.js';

const [site, service] = await Promise.all([startSdkSite(), startService()]);
const page = await site.openPage('vite');

test.each([0, 1, 4 * 1024 * 1024, 9 * 1024 * 1024 + 1])('a file of %i bytes is hashed in a worker', async (size) => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, Buffer.alloc(size, 'some content '));
  await page.getByLabel('file').setInputFiles(path);
  const { hashed, progress } = await runInPage<{
    hashed: unknown;
    progress: { bytes: number; total: number }[];
  }>(
    page,
    `async () => {
    const [file] = document.querySelector('input').files;
    const progress = [];
    const hashed = await sdk.hashBlob(file, { onProgress: (step) => progress.push(step) });
    return { hashed, progress };
  }`,
  );
  expect(hashed).toEqual(await hashFile(path));
  expect(progress.at(-1)).toEqual(size === 0 ? undefined : { bytes: size, total: size });
});

test('a file that was modified after it was chosen is rejected', async () => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, 'before');
  await page.getByLabel('file').setInputFiles(path);
  expect(await runInPage(page, `() => document.querySelector('input').files[0].size`)).toBe('before'.length);
  await writeFile(path, 'after and longer');
  // Browsers compare modification times, and two writes may share one tick of the file system's clock.
  await utimes(path, new Date(), new Date(Date.now() + 10_000));
  const hashing = runInPage(page, `() => sdk.hashBlob(document.querySelector('input').files[0])`);
  await expect(hashing).rejects.toThrow('NotReadableError');
});

test('a deleted file is rejected, not hashed as an empty one', async () => {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, 'here for a moment');
  await page.getByLabel('file').setInputFiles(path);
  await rm(path);
  const hashing = runInPage(page, `() => sdk.hashBlob(document.querySelector('input').files[0])`);
  await expect(hashing).rejects.toThrow('NotFoundError');
});

test('an abort ends hashing in the page', async () => {
  const hashing = runInPage(
    page,
    `async () => {
    const stop = new AbortController();
    const blob = new Blob([new Uint8Array(64 * 1024 * 1024)]);
    await sdk.hashBlob(blob, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) });
  }`,
  );
  await expect(hashing).rejects.toThrow('enough');
});

test('many files are hashed at once, also after others were aborted', async () => {
  const [hashes, wanted] = await runInPage<[string[], string[]]>(
    page,
    `async () => {
    const stopped = AbortSignal.abort();
    const blobs = Array.from({ length: 40 }, (_, number) => new Blob(['file ' + number]));
    const hashing = blobs.map((blob, number) =>
      sdk.hashBlob(blob, number % 4 === 3 ? { signal: stopped } : {}).then(({ fingerprint }) => fingerprint, () => 'stopped'));
    const again = (await Promise.all(hashing)).map((hash, number) => hash === 'stopped' ? sdk.hashBlob(blobs[number]) : hash);
    const texts = (await Promise.all(again)).map((hash) => hash.fingerprint ?? hash);
    const digest = async (blob) => '0x' + new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer())).toHex();
    return [texts, await Promise.all(blobs.map(digest))];
  }`,
  );
  expect(hashes).toEqual(wanted);
});

test.each(bundlers)(
  'a page that %s built computes the Chromaprint of a recording, and no codes of bombs',
  async (bundler) => {
    const sound = Buffer.from(flac(melody(12)));
    const opened = await site.openPage(bundler);
    const files = [sound, pngHeader(30_000), Buffer.from('RIFF....WAVEbroken'), Buffer.from('plain text')];
    const results = await runInPage(
      opened,
      `(files) => Promise.all(files.map((file) => sdk.computePerceptualHashes(new Blob([Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0))]))))`,
      files.map((bytes) => bytes.toString('base64')),
    );
    const { chromaprint } = await computePerceptualHashes(sound);
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
  const calling = runInPage(page, `(baseUrl) => sdk.createClient({ baseUrl }).getHealth()`, `${site.url}/moved`);
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
    site.relayTo(rpcUrl);
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
      chain: { rpcUrl: site.nodeUrl, address },
    };
    const opened = await site.openPage(bundler);
    const honest = await runInPage(opened, verify, input);
    expect(honest).toEqual(['verified', 'agrees', 'confirmed', 'agrees', 'agrees', 'consistent', 'intact']);
    const tamperings: Tamperings = { json: { [LISTS]: listOnly() } };
    const baseUrl = await startTamperingProxy(service.url, tamperings);
    const dishonest = await runInPage(opened, verify, { ...input, baseUrl });
    // The service hides the file in its lists only: what it serves for the bundle is genuine.
    expect(dishonest).toEqual([
      'contradicted',
      'contradicted',
      'confirmed',
      'agrees',
      'unavailable',
      'consistent',
      'intact',
    ]);
    expect(site.messages).toEqual([]);
    await opened.close();
  },
);
