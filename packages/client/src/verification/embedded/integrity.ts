// Whether the signature in a file covers all of it that programs show, beyond what c2pa-rs compares.

import { type CheckedFile, findBindingFault } from '@provenance-registry/c2pa';
import type { EmbeddedManifest } from './embeddedManifest.js';

/**
 * The manifest with what is found in the file as it is: an intact one becomes `invalid` if the signature leaves more of the file
 * open than the manifest.
 * @param hashUrl of the assertion whose hash matches
 */
export function checkIntegrity<M extends EmbeddedManifest>(manifest: M, file: CheckedFile, hashUrl: string): M {
  if (manifest.state !== 'intact') return manifest;
  const fault = findBindingFault(file, hashUrl);
  if (fault === undefined) return manifest;
  const history = manifest.history.map((step, index, { length }) =>
    index === length - 1 ? { ...step, failures: [...step.failures, fault] } : step,
  );
  return { ...manifest, state: 'invalid', failures: [fault], history };
}
