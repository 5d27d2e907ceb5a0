// Makes the evidence bundle of a file in the browser. A module of its own, because it loads on demand.

import { makeBundle, type RegistryClient } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { saveFile } from '../../ui/file/saveFile.js';
import { type OwnSources, toVerifyOptions } from '../verify/ownSources.js';

interface BundleOptions {
  readonly client: RegistryClient;
  readonly own: OwnSources;
  readonly signal: AbortSignal;
  /** Progress while the receipts of a block are read one by one. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

/** @returns whether it proves the entry on chain */
export async function downloadBundle(
  fingerprint: Fingerprint,
  { client, own, signal, onProgress }: BundleOptions,
): Promise<boolean> {
  const { chain } = toVerifyOptions(own);
  const bundle = await makeBundle(fingerprint, { client, chain, onProgress, signal });
  saveFile(new Blob([JSON.stringify(bundle)], { type: 'application/json' }), `${fingerprint}.bundle.json`);
  return bundle.chain !== undefined;
}
