// What verification shows: with a service that lies, with sources of the visitor's own, and on the page of an Artifact.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, parseBundle, verifyBundle } from '@provenance-registry/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newDataFolder, startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';
import { startNodeRelay } from './support/nodeRelay.js';
import {
  consistent,
  fact,
  registerFile,
  sourceState,
  type TestFile,
  title,
  verifyIndependently,
} from './support/verifyPage.js';

const dataDir = await newDataFolder();
const service = await startService({ DATA_DIR: dataDir });
const home = `${service.url}/`;
const resultUrl = ({ fingerprint }: TestFile) => `${home}?fingerprint=${fingerprint}`;
const ada = await createRegistrant(service.url);
const mark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const { address, rpcUrl = '' } = await createClient({ baseUrl: service.url }).getContract();
const nodeUrl = await startNodeRelay(rpcUrl);

const [photo, otherPhoto] = await Promise.all([
  registerFile(ada, mark, 'sunrise.jpg'),
  registerFile(ada, mark, 'noon.jpg'),
]);

describe('A dishonest service', () => {
  test('that denies a registered file is contradicted prominently', async () => {
    const page = await openPage(resultUrl(photo), {
      before: (opened) => opened.route('**/matches/byBinding*', (route) => route.fulfill({ json: { matches: [] } })),
    });
    await title(page, 'Not registered here').waitFor();
    await verifyIndependently(page);
    await title(page, 'Contradicted').waitFor();
    await page.getByRole('alert').filter({ hasText: 'Do not rely on this result' }).waitFor();
    await page.getByText('The service has no record of this file, but the chain has').first().waitFor();
    expect(await sourceState(page, 'Chain')).toBe('Agrees');
    expect(await page.getByRole('link', { name: 'register it' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('that states a wrong Mark to anonymous visitors is contradicted by the chain and the signature', async () => {
    const forgeMark = async (opened: Page) =>
      opened.route('**/api/v1/public/artifacts/*', async (route) => {
        const response = await route.fetch();
        const artifact = await response.json();
        const mark = { ...artifact.metadata.mark, name: 'Ada’s Phot0s' };
        await route.fulfill({ response, json: { ...artifact, metadata: { ...artifact.metadata, mark } } });
      });
    const page = await openPage(resultUrl(photo), { before: forgeMark });
    await title(page, 'Registered under the Mark “Ada’s Phot0s”, according to this service').waitFor();
    await verifyIndependently(page);
    await title(page, 'Contradicted').waitFor();
    await page.getByText('does not match the hash on chain').first().waitFor();
    await page.getByRole('heading', { name: 'What this service states (disputed)' }).waitFor();
  });
});

describe('With sources of the visitor’s own', () => {
  const saveOwnSources = async (page: Page, fields: Readonly<Record<string, string>>) => {
    await page.getByText('Use my own sources').last().click();
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Save' }).click();
  };

  test('a file is verified, and each fact shows the evidence that carries it', async () => {
    const page = await openPage(resultUrl(photo));
    const countGreen = () => page.locator('[data-tone="good"]').count();
    await title(page, 'Registered under the Mark “Ada’s Photos”, according to this service').waitFor();
    expect(await countGreen()).toBe(0);
    await saveOwnSources(page, { 'Nodes of the chain': nodeUrl, Contract: address, 'Chain id': '31337' });
    await page.getByText('Use my own sources (1 node, contract, chain id)').waitFor();
    const told: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(home)) told.push(request.url(), JSON.stringify(request.headers()));
    });
    await verifyIndependently(page);
    await page.getByText('The chain confirms the registration independently of the service').first().waitFor();
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
    expect(await countGreen()).toBeGreaterThan(0);
    expect(await fact(page, 'Mark').textContent()).toBe('Ada’s Photos on chain');
    expect(await fact(page, 'Since').textContent()).toContain('block on chain');
    expect(await fact(page, 'Block').textContent()).toMatch(/^[\d,]+, 0x[0-9a-f]{64}/);
    await page.getByRole('heading', { name: 'What only this service says' }).waitFor();
    const word = page
      .locator('section', { has: page.getByRole('heading', { name: 'What only this service says' }) })
      .last();
    for (const text of ['No verified identity', 'Only the fingerprint was sent', 'did not state to have made']) {
      await word.getByText(text).waitFor();
    }
    await page.getByLabel('Or from files:').setInputFiles(join(dataDir, 'keys', 'authority.pem'));
    await expect.poll(() => page.getByLabel('Root certificates').inputValue()).toContain('BEGIN CERTIFICATE');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText('The chain, the signed manifest and the public log confirm the registration independently')
      .first()
      .waitFor();
    expect(await fact(page, 'Mark').textContent()).toBe(
      'Ada’s Photos on chain, in the signed manifest, in the public log',
    );
    await page.reload();
    await page.getByText('Use my own sources (1 node, contract, chain id, 1 root)').waitFor();
    // The service does not learn which nodes the visitor has named.
    expect(told.filter((text) => text.includes(new URL(nodeUrl).host))).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    await page.getByText('Use my own sources (1 node').click();
    await page.getByRole('button', { name: 'Remove my sources' }).click();
    await verifyIndependently(page);
    await page.getByText(consistent).first().waitFor();
    expect(await countGreen()).toBe(0);
  });

  test('a node without the contract proves nothing, and one that fails leaves it open', async () => {
    const page = await openPage(resultUrl(photo), { expected: /404/ });
    await saveOwnSources(page, { 'Nodes of the chain': nodeUrl });
    await verifyIndependently(page);
    await page.getByText(`The address of the contract, ${address}, comes from the service`).first().waitFor();
    expect(await sourceState(page, 'Chain')).toBe('Agrees');
    expect(await page.getByRole('heading', { name: 'Confirmed independently' }).count()).toBe(0);
    await page.getByLabel('Nodes of the chain').fill(`${service.url}/no-node`);
    await page.getByLabel('Contract', { exact: true }).fill(address);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A source that you named could not be used').first().waitFor();
  });

  test('mistakes in them are explained', async () => {
    const page = await openPage(home);
    await saveOwnSources(page, {
      'Nodes of the chain': 'node.example',
      // One digit too few.
      Contract: address.slice(0, -1),
      'Chain id': 'mainnet',
      'Root certificates': 'my root',
    });
    for (const problem of [
      'node.example is not the address of a node. It looks like https://node.example/path.',
      'Enter the address of the contract: 0x and 40 hexadecimal digits.',
      'Enter the id of the chain as a number.',
      'Enter certificates in PEM form.',
    ]) {
      await page.getByRole('alert').filter({ hasText: problem }).waitFor();
    }
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});

describe('The page of an Artifact', () => {
  /** As it is printed. */
  async function readPaper(page: Page): Promise<string> {
    await page.emulateMedia({ media: 'print' });
    // Generated content is on paper, and not in innerText.
    const text = await page.evaluate<string>(`(() => {
      for (const element of document.querySelectorAll('[data-utc], [data-full]')) {
        element.append(getComputedStyle(element, '::after').content.slice(1, -1));
      }
      return document.body.innerText;
    })()`);
    await page.emulateMedia({ media: 'screen' });
    return text;
  }

  test('has everything in full on paper, in UTC, and nothing to click', async () => {
    const page = await openPage(`${home}artifacts/${otherPhoto.fingerprint}`);
    await fact(page, 'Signed by').waitFor();
    await fact(page, 'Chain').waitFor();
    const text = await readPaper(page);
    const { id, createdAt, transactionHash, chainEntry } = await ada.client.getArtifact(otherPhoto);
    const toUtc = (time = '') => `${time.slice(0, 19).replace('T', ' ')} UTC`;
    const times = [toUtc(createdAt), toUtc(chainEntry?.blockTime)];
    const shown = [otherPhoto.fingerprint, ...times, address, 'Id 31337', transactionHash, chainEntry?.registrar, id];
    for (const one of [...shown, 'Development signer', page.url()]) expect(text).toContain(one);
    for (const hidden of ['Gallery', 'Verify independently', 'Copy', 'Contest this registration', 'API reference']) {
      expect(text).not.toContain(hidden);
    }
  });

  test('checks at once and in place, shows the block, and makes a bundle that proves the entry', async () => {
    const page = await openPage(`${home}artifacts/${photo.fingerprint}`);
    const { chainEntry } = await ada.client.getArtifact({ fingerprint: photo.fingerprint });
    const block = String(chainEntry?.blockNumber);
    expect(await fact(page, 'Block').locator('code').textContent()).toBe(block);
    await verifyIndependently(page);
    const region = page.getByRole('region', { name: 'Independent check' });
    await region.getByText(consistent).waitFor();
    expect(page.url()).toBe(`${home}artifacts/${photo.fingerprint}`);
    // Announced, and read on from there.
    await page.getByRole('status').getByText(consistent).waitFor();
    expect(await page.locator('div:focus').getByRole('region', { name: 'Independent check' }).count()).toBe(1);
    expect(await region.getByText('Agrees', { exact: true }).count()).toBe(4);
    await expectAccessible(page);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Evidence bundle' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${photo.fingerprint}.bundle.json`);
    const bundle = parseBundle(JSON.parse(await readFile(await file.path(), 'utf8')));
    const { verdict, checks } = await verifyBundle(bundle);
    expect([verdict, String(checks.chain.details.blockNumber)]).toEqual(['consistent', block]);
    await page.getByRole('status').getByText('The evidence bundle is downloaded.').waitFor();

    // A link can start the check.
    const opened = await openPage(`${home}artifacts/${photo.fingerprint}?verify`);
    await opened.getByRole('region', { name: 'Independent check' }).getByText(consistent).waitFor();
    await opened.getByRole('link', { name: 'About the contract' }).click();
    await opened.getByRole('heading', { level: 1, name: 'The contract of this registry' }).waitFor();
    expect(await fact(opened, 'Address').locator('code').textContent()).toBe(address);
    expect(await opened.getByRole('link', { name: 'Address and ABI as JSON' }).getAttribute('href')).toBe(
      '/c2pa/contract',
    );
    await expectAccessible(opened);
    await opened.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScroll(opened);
  });
});
