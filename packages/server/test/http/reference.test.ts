// The API reference in a real browser, without other sites.

import { mkdir } from 'node:fs/promises';
import { api } from '@provenance-registry/core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../test/support/browser.js';
import { type Service, startService } from '../../../../test/support/service.js';

const screenshots = new URL('../../../../test-results/', import.meta.url).pathname;

let service: Service;
let browser: Browser;

beforeAll(async () => {
  service = await startService();
  browser = await launchBrowser();
  await mkdir(screenshots, { recursive: true });
});
afterAll(() => browser.close());

/** A page with its requests and console errors. */
async function openPage(path: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(120_000);
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // Leaving a page aborts its pending requests.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`);
  });
  await page.goto(`${service.url}${path}`, { waitUntil: 'networkidle' });
  return { page, asked, complaints };
}

const elsewhere = (asked: string[]) =>
  asked.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:'));

describe('the API reference', () => {
  it('shows every operation without errors and without requests to other sites', async () => {
    const { page, asked, complaints } = await openPage('/api/reference');
    await page.getByRole('heading', { name: 'Sign up' }).first().waitFor();
    await page.screenshot({ path: `${screenshots}reference.png` });
    for (const { summary } of Object.values(api)) {
      await page.getByText(summary).first().waitFor({ state: 'attached' });
    }
    expect(elsewhere(asked)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('sends a request and shows the response', async () => {
    const { page, asked, complaints } = await openPage('/api/reference#tag/operating/GET/healthz');
    await testRequest(page);
    await page.screenshot({ path: `${screenshots}reference-try.png` });
    expect(asked.filter((url) => url === `${service.url}/healthz`)).toHaveLength(1);
    expect(elsewhere(asked)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

async function testRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Test Request.*\/healthz/i }).click();
  const answered = page.waitForResponse(`${service.url}/healthz`);
  await page.getByRole('button', { name: /^Send/i }).first().click();
  await answered;
  await page.getByText('200').first().waitFor();
}

describe('the page', () => {
  it('links to the reference', async () => {
    const { page, asked, complaints } = await openPage('/');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL(`${service.url}/api/reference`);
    await page.getByRole('heading', { name: 'Sign up' }).first().waitFor();
    expect(elsewhere(asked)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
