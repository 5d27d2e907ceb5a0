// The samples of docs/internals/c2pa-rs-findings.md: c2pa-rs finds nothing wrong with them, and the SDK does. When c2pa-rs changes, so
// does the page.

import { readFile } from 'node:fs/promises';
import { WasmReader } from '@contentauth/c2pa-wasm';
import { expect, test } from 'vitest';
import { readEmbeddedManifest } from '../src/index.js';
import { loadC2pa } from '../src/verification/manifest.js';

await loadC2pa();

async function listFailures(bytes: Uint8Array): Promise<string[]> {
  const reader = await WasmReader.fromBytes('application/octet-stream', bytes, '{}');
  const { validation_results } = JSON.parse(reader.json());
  reader.free();
  return validation_results.activeManifest.failure.map(({ code }: { readonly code: string }) => code);
}

test.each([
  ['store-in-two-parts.jpg', 'com.service.hardBinding.incomplete'],
  ['box-in-assertion.jpg', 'com.service.manifestStore.malformed'],
  ['expired-signer.jpg', 'signingCredential.expired'],
])('c2pa-rs accepts %s, and the SDK does not', async (name, code) => {
  const sample = new Uint8Array(await readFile(new URL(`../../../docs/internals/samples/${name}`, import.meta.url)));
  // No signer is trusted without roots.
  expect(await listFailures(sample)).toEqual(['signingCredential.untrusted']);
  expect(await readEmbeddedManifest(sample)).toMatchObject({ state: 'invalid', failures: [code] });
});
