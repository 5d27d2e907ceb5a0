// Receipts are verified in a browser, by its own Ed25519.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { getBrowser } from '../../../test/support/browser.js';
import type * as logPackage from '../src/index.js';
import { formatPolicy } from '../src/index.js';
import { vectorEntry, vectorKey, vectors } from './support/vectors.js';

/** What the script below leaves in the page. */
declare const log: typeof logPackage;

const { index, receipt } = vectors.receipts.at(-1) ?? { index: 0, receipt: '' };
const policy = formatPolicy([vectorKey('log')], [vectorKey('witness1')]);
let script: string;

beforeAll(async () => {
  const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [source('log/src/index.ts')],
    alias: { '@provenance-registry/core': source('core/src/index.ts') },
    bundle: true,
    format: 'iife',
    globalName: 'log',
    write: false,
  });
  script = outputFiles[0]?.text ?? '';
});

it('verifies receipts in Chromium, and refuses another entry', async () => {
  expect(await verifyIn('https://log.test/', [...vectorEntry(index)])).toEqual({ index, size: 100_000 });
  expect(await verifyIn('https://log.test/', [...vectorEntry(index + 1)])).toBe('LogProofError');
});

it('says that it cannot in a page without HTTPS, where the platform has no signatures', async () => {
  expect(await verifyIn('http://log.test/', [...vectorEntry(index)])).toBe('SignatureUnsupportedError');
});

async function verifyIn(url: string, entry: number[]) {
  const page = await (await getBrowser()).newPage();
  await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<title>log</title>' }));
  await page.goto(url);
  await page.addScriptTag({ content: script });
  const result = await page.evaluate(
    async ({ receipt, entry, policy }) => {
      try {
        const verified = await log.verifyReceipt(receipt, Uint8Array.from(entry), log.parsePolicy(policy));
        return { index: verified.index, size: verified.checkpoint.size };
      } catch (error) {
        return error instanceof Error ? error.name : 'unknown';
      }
    },
    { receipt, entry, policy },
  );
  await page.close();
  return result;
}
