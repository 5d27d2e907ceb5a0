// The table of cases in verdictCases.json in a real Chromium: the page comes to the verdict of the table, and neither page nor
// extension shows anything in green that no named source has proven.

import { registryFingerprint } from '@provenance-registry/core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { explanations, isProven, type Verification, verify } from '../packages/client/src/index.js';
import { readAnswer, startExtension } from '../packages/extension/test/support/extension.js';
import { openPage } from '../packages/web/test/support/browser.js';
import { choose, createFile, fact, verifyIndependently } from '../packages/web/test/support/verifyPage.js';
import { verdictCases } from './support/verdictCases.js';
import { findSubject, type NamedOptions, toOptions } from './support/verdictSubjects.js';

/** Neither page nor extension takes bundles. */
const onlineCases = verdictCases.filter(({ bundle }) => bundle === undefined);

describe('the page', () => {
  /** It has no field for what must confirm and for whose file it should be. */
  const cases = onlineCases.filter(({ require, expect }) => require === undefined && expect === undefined);

  test.each(cases)('has the same verdict when $when', async (one) => {
    const { fingerprint, bytes: content, client } = findSubject(one);
    const options = await toOptions(one);
    const verification = await verify({ fingerprint, content }, { client, ...options });
    const page = await openVerifyPage(client.baseUrl, options);
    await choose(page, await createFile('photo', content));
    await page.getByRole('button', { name: 'Verify independently' }).waitFor();
    // A manifest in the file is read at once, and may be proven by the roots that are named.
    if (verification.embedded?.trustedBy !== 'caller') expect(await countGreen(page)).toBe(0);
    await verifyIndependently(page);
    const result = page.locator('[data-verdict]');
    expect(await result.getAttribute('data-verdict')).toBe(one.verdict);
    // What went wrong with a source is told in the words of Node, or of the browser.
    const [words = ''] = explanations.verdict(verification).split(':');
    await result.getByText(words).first().waitFor();
    await expectGreenWhereProven(page, verification);
    const dates = verification.facts.filter((found) => found.name === 'since' && isProven(found));
    expect(await fact(page, 'Since').count()).toBe(dates.length);
  });
});

function openVerifyPage(baseUrl: string, { chain, trustAnchorsPem = '' }: NamedOptions): Promise<Page> {
  const own = {
    nodes: (chain.rpcUrl ?? []).join('\n'),
    contract: chain.address ?? '',
    chainId: '',
    roots: trustAnchorsPem,
  };
  return openPage(baseUrl, {
    initScript: `localStorage.setItem('provenance-own-sources', ${JSON.stringify(JSON.stringify(own))})`,
    // Those of the nodes, which Chromium reports itself.
    expected: /Failed to load resource/,
  });
}

const countGreen = (page: Page) => page.locator('[data-tone="good"]').count();

async function expectGreenWhereProven(page: Page, verification: Verification): Promise<void> {
  const isVerified = verification.verdict === 'verified';
  // The headline and the verdict; the states of the sources are sections.
  const green = page.locator('h2 [data-tone="good"], [data-verdict] > [data-tone="good"]:not(section)');
  expect(await green.count()).toBe(isVerified ? 2 : 0);
  const isProven = verification.independentSources.length > 0 || verification.embedded?.trustedBy === 'caller';
  expect((await countGreen(page)) > 0).toBe(isProven);
}

describe('the extension, which verifies nothing', () => {
  /** What it says about exact matches and claims, whatever the verdict is. */
  const shown: Readonly<Record<string, readonly [exact: string, claims: string]>> = {
    registered: ['Found', 'Not found'],
    private: ['Found', 'Not found'],
    hidden: ['Found', 'Not found'],
    unspecified: ['Found', 'Not found'],
    copy: ['Found', 'Not found'],
    contested: ['Found', 'Contested'],
    card: ['Not found', 'Not found'],
    unregistered: ['Not found', 'Not found'],
  };
  let extension: Awaited<ReturnType<typeof startExtension>>;
  let panel: Page;

  beforeAll(async () => {
    extension = await startExtension();
    panel = await extension.context.newPage();
  });

  test('has a row for each file of the table', () => {
    const subjects = new Set(onlineCases.map(({ subject = 'registered' }) => subject));
    expect([...subjects].toSorted()).toEqual(Object.keys(shown).toSorted());
  });

  test.each(Object.entries(shown))(
    'shows the word of the registry, and nothing in green, for a file that is %s',
    async (subject, expected) => {
      const { bytes, client } = findSubject({ subject });
      await confirmRegistry(client);
      await panel.goto(`chrome-extension://${extension.id}/panel.html`);
      await panel
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'photo', mimeType: '', buffer: Buffer.from(bytes) });
      const exact = await readAnswer(panel, 'Exact match');
      expect([exact.state, (await readAnswer(panel, 'Claims')).state]).toEqual(expected);
      if (exact.state === 'Found') expect(exact.text).toContain('According to');
      await readAnswer(panel, 'Content Credentials');
      expect(await countGreen(panel)).toBe(0);
    },
  );

  /** As the options do after the user has compared the fingerprint. */
  async function confirmRegistry({ baseUrl, getRegistryIdentity }: ReturnType<typeof findSubject>['client']) {
    const fingerprint = registryFingerprint(await getRegistryIdentity());
    const pin = JSON.stringify({ baseUrl, name: 'Example Press', fingerprint });
    await extension.worker.evaluate(`chrome.storage.local.set({ registry: ${pin} })`);
  }
});
