// Embeds a signed manifest in a small PNG of our own, in the calling thread.

import { embedStore } from '../containers/embedStore.js';
import { hardBindingAssertion } from '../manifest/hardBinding.js';
import {
  buildManifestStore,
  type ManifestContent,
  measureManifestStore,
  type Signing,
} from '../manifest/manifestStore.js';
import { measureSignatureSize } from '../signing/signatureSize.js';

type PngManifest = Pick<ManifestContent, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  const signatureSize = await measureSignatureSize(signing);
  const describe = (hardBinding: Uint8Array) => ({
    ...manifest,
    assertions: [...manifest.assertions, hardBindingAssertion('data', hardBinding)],
    ingredientManifests: [],
    signatureSize,
  });
  const storeSize = measureManifestStore(describe(new Uint8Array()), signing);
  return embedStore({ mediaType: 'image/png', bytes: png, storeSize }, (hardBinding) =>
    buildManifestStore(describe(hardBinding), signing),
  );
}
