// A lawyer: opens the link of a record, reads it, saves certificate and evidence bundle, and prints it. With the keyboard
// alone.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { call, startService, temporaryFolder } from '../../../../test/support/service.js';
import { expectUsableAtBothSizes, openPage } from '../support/browser.js';

const run = promisify(execFile);
/** More than the page has. */
const MAX_TABS = 150;

const service = await startService();
const fingerprint = await register();

async function register(): Promise<string> {
  const ada = await createUser(service);
  const mark = (await createMark(service, ada, { name: 'Ada Lovelace Studio', license: 'CC-BY-4.0' })).body;
  const fields = { markId: mark.id, fingerprint: newFingerprint(), filename: 'contract.pdf', authorshipStated: true };
  const { body } = await createArtifact(service, ada, fields);
  for (;;) {
    const found = await call(service, 'GET', `/api/v1/public/artifacts/${body.fingerprint}?wait=50`);
    if (found.body.status === 'submitted') return body.fingerprint;
  }
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByText(name, { exact: true }).waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>('document.activeElement.textContent')) === name) return;
  }
  throw new Error(`the keyboard does not lead to ${name}`);
}

async function save(page: Page, name: string): Promise<Download> {
  await tabTo(page, name);
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  return downloading;
}

test('a record becomes a file for the court, on a phone', async () => {
  const folder = await temporaryFolder();
  const page = await openPage(`${service.url}/artifacts/${fingerprint}`, { size: 'phone' });
  await page.getByRole('heading', { level: 1, name: /contract\.pdf/ }).waitFor();
  const main = page.getByRole('main');
  await main.getByText('Ada Lovelace Studio').first().waitFor();
  await expectUsableAtBothSizes(page);

  const certificate = await save(page, 'Certificate (PDF)');
  expect(certificate.suggestedFilename()).toBe(`certificate-${fingerprint.slice(2, 18)}.pdf`);
  const pdf = join(folder, 'certificate.pdf');
  await certificate.saveAs(pdf);
  expect((await run('pdfsig', [pdf])).stdout).toContain('Signature is Valid.');
  const { stdout: text } = await run('pdftotext', ['-raw', pdf, '-']);
  for (const fact of [fingerprint, 'Ada Lovelace Studio', 'What this does not prove']) expect(text).toContain(fact);

  const bundle = await save(page, 'Evidence bundle');
  const json = join(folder, 'bundle.json');
  await bundle.saveAs(json);
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ fingerprint });

  // Printed, the record is complete: without navigation, and with every digit.
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
  const printed = join(folder, 'printed.pdf');
  await writeFile(printed, await page.pdf({ format: 'A4' }));
  await page.emulateMedia({ media: null });
  const { stdout: paper } = await run('pdftotext', ['-raw', printed, '-']);
  const digits = paper.replaceAll(/\s/g, '');
  expect(digits).toContain(fingerprint.slice(2));
  expect(paper).toMatch(/UTC/);
  expect(paper).not.toMatch(/Log in|Sign up/);
});
