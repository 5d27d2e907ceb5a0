// The public log in a real Chromium: its page, and the receipt on the page of an Artifact.

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../test/support/ports.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { waitUntil } from '../../../test/support/waitUntil.js';
import { startWitnessedService } from '../../../test/support/witnessedService.js';
import { createClient } from '../../client/src/index.js';
import { readLogKey } from '../../client/test/support/verifiedService.js';
import { encodeUtf8, formatPolicy, parsePolicy, verifyReceipt } from '../../log/src/index.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';
import { fact, registerFile } from './support/verifyPage.js';

const ended = new AbortController();
afterAll(() => ended.abort());
const service = await startWitnessedService('witness.example', ended.signal, {
  // A development chain of its own, which has a contract for anchors.
  CHAIN_PORT: String(await freePort()),
  LOG_ANCHOR_SECONDS: '1',
  EXPLORER_URL: 'https://explorer.example',
});
const ada = await createRegistrant(service.url);
const mark = { id: ada.markId };
const photo = await registerFile(ada, mark, 'sunrise.jpg');
const other = await registerFile(ada, mark, 'noon.jpg');
const client = createClient({ baseUrl: service.url });
const key = await readLogKey(client);
const policy = parsePolicy(formatPolicy([key]));
const artifactUrl = `${service.url}/artifacts/${photo.fingerprint}`;
const withOwn = (sources: object) => ({
  initScript: `localStorage.setItem('provenance-own-sources', ${JSON.stringify(JSON.stringify(sources))})`,
});
const ownKey = withOwn({ logKey: key });
await waitUntil(
  async () => (await client.getPublicReceipt({ fingerprint: other.fingerprint })).anchor !== undefined,
  'the log is anchored',
);

/** Changes what the service publishes at some paths, byte by byte, for one page alone. */
function tamperWith(path: RegExp, change: (body: string) => string) {
  const before = (page: Page) =>
    page.route(path, async (route) => {
      const response = await route.fetch();
      const body = Buffer.from(change((await response.body()).toString('latin1')), 'latin1');
      await route.fulfill({ response, body });
    });
  return { before };
}

const state = (page: Page) => fact(page, 'Checked in your browser').textContent();

describe('The page of the log', () => {
  test('shows size, key, growth and the newest leaves, and how to check it without the page', async () => {
    const page = await openPage(`${service.url}/log`, { size: 'phone' });
    const leaf = page.getByRole('listitem').filter({ hasText: 'A file' });
    await leaf.first().waitFor();
    const [, size = ''] = (await (await fetch(`${service.url}/log/checkpoint`)).text()).split('\n');
    expect(await fact(page, 'Leaves').textContent()).toBe(size);
    expect(await fact(page, 'Key').textContent()).toContain(key);
    expect(await fact(page, 'Seen by').textContent()).toMatch(
      /^witness\.example at .* \(\d+ \w+ ago\), by its own clock$/,
    );
    const anchor = await fact(page, 'Last anchor on chain').textContent();
    expect(anchor).toMatch(/^\d+ leaves in block \d+, .* \(\d+ \w+ ago\)The word of this service\./);
    expect(await state(page)).toMatch(/^Agrees.*The key is the word of this service/);
    expect(await leaf.first().getByRole('link').getAttribute('href')).toBe(`/artifacts/${other.fingerprint}`);
    await page.getByRole('img', { name: `A line of the number of leaves, up to ${size}` }).waitFor();
    const commands = await page.locator('pre', { hasText: 'go run' }).textContent();
    expect(commands).toContain(`echo '${key}' >log.vkey`);
    expect(commands).toContain(`--storage_url=${service.url}/log/ --public_key=log.vkey`);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  test('is confirmed by a key of the visitor’s own', async () => {
    const page = await openPage(`${service.url}/log`, ownKey);
    await fact(page, 'Leaves').waitFor();
    expect(await state(page)).toMatch(/^Confirmed/);
  });

  test.each<[string, RegExp, (body: string) => string]>([
    ['a checkpoint of another size', /\/log\/checkpoint$/, (note) => note.replace(/^(.*\n)\d+/, '$11')],
    [
      'a leaf that was changed',
      /\/log\/tile\/entries\//,
      (body) => body.replaceAll(other.fingerprint, photo.fingerprint),
    ],
    ['another key', /\/\.well-known\/provenance-registry$/, (body) => body.replace(/"jws":"[^"]{20}/, '"jws":"AAAA')],
  ])('says so of a log with %s', async (_, path, change) => {
    const page = await openPage(`${service.url}/log`, tamperWith(path, change));
    await page.getByText('The log does not hold').waitFor();
    expect(await fact(page, 'Leaves').count()).toBe(0);
  });
});

describe('The page of an Artifact', () => {
  test('shows its receipt, checks it, and offers it as files that prove it', async () => {
    const page = await openPage(artifactUrl);
    await fact(page, 'Place').waitFor();
    expect(await fact(page, 'Place').textContent()).toMatch(/^Leaf \d+, under a signed checkpoint of \d+ leaves$/);
    expect(await state(page)).toBe('Agrees');
    const receipt = await download(page, 'Download the receipt');
    const leaf = await download(page, 'Download the leaf');
    expect([receipt.name, leaf.name]).toEqual([`${photo.fingerprint}.tlog-proof`, `${photo.fingerprint}.leaf`]);
    const { index } = await verifyReceipt(receipt.text, encodeUtf8(leaf.text), policy);
    expect(await fact(page, 'Place').textContent()).toContain(`Leaf ${index},`);
    await expectAccessible(page);
  });

  test('confirms the receipt under a key of the visitor’s own', async () => {
    const page = await openPage(artifactUrl, ownKey);
    await fact(page, 'Place').waitFor();
    expect(await state(page)).toBe('Confirmed');
  });

  test('says before which block the log had it, with a link only if a node of the visitor’s own has the block', async () => {
    const { rpcUrl = '' } = await client.getContract();
    const { address = '' } = (await client.getRegistryIdentity()).log?.contract ?? {};
    const { anchor } = await client.getPublicReceipt({ fingerprint: photo.fingerprint });
    const block = anchor?.blockNumber ?? expect.unreachable('not anchored');
    for (const own of [{}, { logKey: key, logContract: address }, { logKey: key, nodes: rpcUrl }]) {
      const page = await openPage(artifactUrl, withOwn(own));
      await fact(page, 'Anchored on chain').waitFor();
      const word = await fact(page, 'Anchored on chain').textContent();
      expect(word).toMatch(new RegExp(`^In block ${block}, .*, according to this service$`));
      expect(await fact(page, 'Anchored on chain').getByRole('link').count()).toBe(0);
    }
    const page = await openPage(artifactUrl, withOwn({ logKey: key, nodes: rpcUrl, logContract: address }));
    await fact(page, 'Anchored on chain').waitFor();
    expect(await fact(page, 'Anchored on chain').textContent()).toMatch(
      new RegExp(`^In the log before block ${block}, `),
    );
    const link = fact(page, 'Anchored on chain').getByRole('link');
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/block/${block}`);
    await expectAccessible(page);
  });

  test.each<[string, (body: string) => string]>([
    ['of another file', (body) => body.replaceAll(photo.fingerprint, other.fingerprint)],
    ['that was changed', (body) => body.replace(/index (\d+)/, 'index 0')],
  ])('says that a receipt %s does not hold', async (_, change) => {
    const page = await openPage(artifactUrl, tamperWith(/\/receipt(\?|$)/, change));
    await page.getByText('The receipt does not hold').waitFor();
    expect(await fact(page, 'Place').count()).toBe(0);
  });
});

async function download(page: Page, name: string): Promise<{ readonly name: string; readonly text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}
