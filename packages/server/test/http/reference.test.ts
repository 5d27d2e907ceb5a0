// The API reference in a real browser, without other sites.

import { mkdir } from 'node:fs/promises';
import { api } from '@provenance-registry/core';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getBrowser } from '../../../../test/support/browser.js';
import { type Service, startService } from '../../../../test/support/service.js';

const screenshots = new URL('../../../../test-results/', import.meta.url).pathname;

let service: Service;

beforeAll(async () => {
  service = await startService();
  await mkdir(screenshots, { recursive: true });
});

describe('the API reference', () => {
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  // Loading the reference is most of the work, so the tests share one page. It has more than 100,000 nodes: a search by
  // role takes seconds of CPU time, so tests search by element and text.
  beforeAll(async () => {
    page = await (await getBrowser()).newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(120_000);
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // Leaving a page aborts its pending requests.
      if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`);
    });
  });

  afterEach(() => {
    const isOwn = (url: string) => [service.url, 'data:', 'blob:'].some((prefix) => url.startsWith(prefix));
    expect(requests.filter((url) => !isOwn(url))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is linked from the page', async () => {
    await page.goto(`${service.url}/`, { waitUntil: 'networkidle' });
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL(`${service.url}/api/reference`);
    await page.locator('h3', { hasText: 'Sign up' }).first().waitFor();
  });

  it('shows every operation without errors and without requests to other sites', async () => {
    await page.screenshot({ path: `${screenshots}reference.png` });
    const findMissing = async () => {
      const text = (await page.locator('#app').textContent()) ?? '';
      return Object.values(api).filter(({ summary }) => !text.includes(summary));
    };
    await expect.poll(findMissing).toEqual([]);
  });

  it('sends a request and shows the response', async () => {
    await page.goto(`${service.url}/api/reference#tag/operating/GET/healthz`);
    await page.locator('button', { hasText: /Test Request.*\/healthz/i }).click();
    const answered = page.waitForResponse(`${service.url}/healthz`);
    await page.locator('button', { hasText: /^Send/i }).first().click();
    await answered;
    await page.getByText('200').first().waitFor();
    await page.screenshot({ path: `${screenshots}reference-try.png` });
    expect(requests.filter((url) => url === `${service.url}/healthz`)).toHaveLength(1);
  });
});
