// Files for the front page, and what tests do and see there.

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitForStatus } from '@provenance-registry/client';
import type { Page } from 'playwright-core';
import { randomUUID } from '../../../../test/support/random.js';
import type { Registrant } from '../../../../test/support/registrants.js';
import { temporaryFolder } from '../../../../test/support/service.js';

export interface TestFile {
  readonly path: string;
  readonly fingerprint: `0x${string}`;
}

let folder: Promise<string> | undefined;

/** A path in a folder that is removed when the test file ends. */
export async function newPath(name: string): Promise<string> {
  folder ??= temporaryFolder();
  return join(await folder, name);
}

export async function createFile(
  name: string,
  content: string | Uint8Array = `${name} ${randomUUID()}`,
): Promise<TestFile> {
  const path = await newPath(name);
  await writeFile(path, content);
  return { path, fingerprint: `0x${createHash('sha256').update(content).digest('hex')}` };
}

/** Far above what the log takes, on a slow machine. */
const RECEIPT_WAIT_SECONDS = 20;

/** Creates a file and registers it; resolves once it is on chain and in the public log. */
export async function registerFile(
  { client }: Pick<Registrant, 'client'>,
  { id: markId }: { id: string },
  filename: string,
): Promise<TestFile> {
  const file = await createFile(filename);
  await client.createArtifact({ markId, fingerprint: file.fingerprint, filename });
  await waitForStatus(client, file.fingerprint);
  await client.getReceipt({ fingerprint: file.fingerprint, wait: RECEIPT_WAIT_SECONDS });
  return file;
}

/** The verdict without sources of the visitor's own. */
export const consistent =
  'Everything agrees, but all of it comes from one party: this is not an independent confirmation.';

export const choose = (page: Page, ...files: readonly Pick<TestFile, 'path'>[]) =>
  page.getByLabel('Choose files').setInputFiles(files.map(({ path }) => path));
export const title = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });
/** The page handles drops and pastes from now on. */
export const untilReady = (page: Page) => page.getByText('Drop files here').waitFor();
/** Shown before a file is chosen. */
export const homeHeading = (page: Page) => page.getByRole('heading', { name: 'Hashed in your browser' });
export const fact = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
/** The state and the text of the answer to a question about the file. */
export const answer = async (page: Page, question: string) =>
  (
    await page
      .locator('dl > div[data-tone]')
      .filter({ has: page.getByText(question, { exact: true }) })
      .locator('dt [data-tone], dd')
      .allTextContents()
  ).join(': ');
/** Name and size of the chosen file. */
export const chosenFile = (page: Page) => page.locator('p:has(> span > code[data-full])');
export const verifyIndependently = (page: Page) => page.getByRole('button', { name: 'Verify independently' }).click();
/** The badge of a source. */
export const sourceState = (page: Page, source: string) =>
  page
    .locator('section[data-tone]')
    .filter({ has: page.getByRole('heading', { name: source }) })
    .locator('[data-tone]')
    .textContent();
