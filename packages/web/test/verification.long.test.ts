// What verification on the front page shows with a service that lies about everything that it serves.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@provenance-registry/client';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newDataFolder, startService } from '../../../test/support/service.js';
import {
  kindOf,
  listServiceLies,
  readServiceResponses,
  type ServiceLie,
} from '../../../test/support/tamperingService.js';
import { openPage } from './support/browser.js';
import { startNodeRelay } from './support/nodeRelay.js';
import { homeHeading, registerFile } from './support/verifyPage.js';

const dataDir = await newDataFolder();
const service = await startService({ DATA_DIR: dataDir });
const home = `${service.url}/`;
const ada = await createRegistrant(service.url);
const mark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const { address, rpcUrl = '' } = await createClient({ baseUrl: service.url }).getContract();
const nodeUrl = await startNodeRelay(rpcUrl);
const rootsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');
const [photo, otherPhoto] = await Promise.all([
  registerFile(ada, mark, 'sunrise.jpg'),
  registerFile(ada, mark, 'noon.jpg'),
]);

test('with sources of the visitor’s own, a sample of the lies of a dishonest service never shows a wrong fact as verified', async () => {
  let told: ServiceLie | undefined;
  const own = { nodes: nodeUrl, contract: address, chainId: '31337', roots: rootsPem };
  const page = await openPage(home, {
    expected: /./,
    initScript: `localStorage.setItem('provenance-own-sources', ${JSON.stringify(JSON.stringify(own))})`,
    before: async (opened) => {
      const value = encodeURIComponent(nodeUrl);
      await opened.context().addCookies([{ name: 'provenance-nodes', value, url: service.url }]);
      await opened.route(/\/(api|cdn|\.well-known)\//, async (route) => {
        const request = route.request();
        const { pathname, search } = new URL(request.url());
        const response = await route.fetch();
        const type = response.headers()['content-type']?.split(';', 1)[0] ?? '';
        const honest = { status: response.status(), type, body: new Uint8Array(await response.body()) };
        const kind = kindOf(request.method(), pathname + search, request.headers()['accept'] ?? '*/*');
        const { status, type: contentType, body } = told?.tamper(kind, honest) ?? honest;
        await route.fulfill({ status, contentType, body: Buffer.from(body) });
      });
    },
  });
  const read = async () => {
    await page.getByLabel('Or look up a fingerprint').fill(photo.fingerprint);
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'Verify independently' });
    await button.or(page.getByText('Could not check')).first().waitFor();
    if ((await button.count()) > 0) {
      await button.click();
      await page.locator('.checks .notice').first().waitFor();
    }
    const shown = await page.evaluate<{ title: string; verdict: string; facts: string[] }>(`({
      title: document.querySelector('.card-title')?.textContent ?? '',
      verdict: document.querySelector('.checks .notice-title')?.textContent ?? '',
      facts: [...document.querySelectorAll('.record-layout .stack > .facts > div')].flatMap((row) => {
        const lines = [...row.querySelectorAll('.fact-line')];
        // A lie may remove evidence, and what is marked as the service's word may be one.
        row.querySelectorAll('.evidence, .stated').forEach((marked) => marked.remove());
        return (lines.length > 0 ? lines : [row.querySelector('dd')]).map(
          (line) => row.querySelector('dt').textContent + ': ' + line.textContent.trim(),
        );
      }),
    })`);
    await page.getByRole('link', { name: 'Provenance registry' }).first().click();
    await homeHeading(page).waitFor();
    return shown;
  };
  const honest = await read();
  expect(honest.verdict).toContain('Verified: the chain and the signed manifest confirm it');
  expect(honest.facts.join()).toContain('Ada’s Photos');
  const [responses, others] = await Promise.all(
    [photo, otherPhoto].map(({ fingerprint }) => readServiceResponses(service.url, fingerprint)),
  );
  const lies = listServiceLies(responses ?? new Map(), others ?? new Map());
  // And those about what the page shows of the record.
  const shownFields = /Artifact \/(mark\/name|createdAt|status|license\/name|metadata\/(author|mark)\/name) changed/;
  const isSampled = ({ name }: ServiceLie, index: number) =>
    index % Math.ceil(lies.length / 6) === 0 || shownFields.test(name);
  const sample = lies.filter(isSampled);
  const passed: unknown[] = [];
  for (const lie of sample) {
    told = lie;
    const shown = await read();
    const wrong = [shown.title, ...shown.facts].filter((text) => ![honest.title, ...honest.facts].includes(text));
    if (shown.verdict.startsWith('Verified') && wrong.length > 0) passed.push([lie.name, wrong]);
  }
  console.log(`page: ${sample.length} of ${lies.length} lies told, ${passed.length} passed`);
  expect(passed).toEqual([]);
});
