// What the tests call in the pages.

import { createClient, makeBundle, readEmbeddedManifest, verify, verifyBundle } from '@provenance-registry/client';
import { computePerceptualHashes, hashBlob } from '@provenance-registry/client/browser';

/** @param {{ c2paWasmUrl?: URL, chromaprintWasmUrl?: URL }} urls where the bundler put what it does not find itself */
export function createSdk({ c2paWasmUrl, chromaprintWasmUrl } = {}) {
  return {
    createClient,
    hashBlob,
    makeBundle,
    computePerceptualHashes: (file) => computePerceptualHashes(file, { chromaprintWasmUrl }),
    readEmbeddedManifest: (file) => readEmbeddedManifest(file, { c2paWasmUrl }),
    verify: (file, options) => verify(file, { ...options, c2paWasmUrl }),
    verifyBundle: (bundle) => verifyBundle(bundle, { c2paWasmUrl }),
  };
}
