// The hard binding: the hash of a file's bytes, except of those that hold the manifest itself.

import { C2PA_UUID } from '@provenance-registry/c2pa';
import { createdAssertion } from './assertions.js';
import { encodeCbor } from './cbor.js';
import type { Assertion } from './manifestStore.js';

const NAME = 'jumbf manifest';
const ALGORITHM = 'sha256';
/** Labels of the assertions, by how the hash is computed. */
const labels = { data: 'c2pa.hash.data', bmff: 'c2pa.hash.bmff.v3' } as const;
/**
 * Manifests, and the index of fragments, which no signed copy has. C2PA (A.5.6) wants the file type in the list too, but says of
 * no validator that it requires it, and c2pa-rs does not: its brands decide how viewers read the file, so it is hashed.
 */
const BMFF_EXCLUSIONS = [{ xpath: '/uuid', data: [{ offset: 8, value: C2PA_UUID }] }, { xpath: '/mfra' }];

/** Content of `c2pa.hash.data`: the hash of the whole file, or of all but one range. */
export function dataHash(hash: Uint8Array, excluded?: { readonly start: number; readonly length: number }): Buffer {
  const exclusions = excluded && [excluded];
  return encodeCbor({ exclusions, name: NAME, alg: ALGORITHM, hash, pad: new Uint8Array(0) });
}

/** Content of `c2pa.hash.bmff.v3`. */
export function bmffHash(hash: Uint8Array): Buffer {
  return encodeCbor({ exclusions: BMFF_EXCLUSIONS, name: NAME, alg: ALGORITHM, hash });
}

export function hardBindingAssertion(kind: keyof typeof labels, content: Uint8Array): Assertion {
  return createdAssertion(labels[kind], content);
}

/** Binds a manifest beside its file: the hash of the whole file. */
export function dataHashAssertion(hash: Uint8Array): Assertion {
  return hardBindingAssertion('data', dataHash(hash));
}
