// Embeds a signed manifest in a small PNG of our own, in the calling thread.

import { hardBindingAssertion } from '../manifest/hardBinding.js';
import type { ManifestContent, Signing } from '../manifest/manifestStore.js';
import { prepareEmbeddedManifest } from './embeddedManifest.js';
import { embedStore } from './embedStore.js';

type PngManifest = Pick<ManifestContent, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  const describe = (hardBinding: Uint8Array) => ({
    ...manifest,
    assertions: [...manifest.assertions, hardBindingAssertion('data', hardBinding)],
    ingredientManifests: [],
  });
  const { storeSize, buildStore } = await prepareEmbeddedManifest(describe, signing);
  return embedStore({ mediaType: 'image/png', bytes: png, storeSize }, buildStore);
}
