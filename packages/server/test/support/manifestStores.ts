// Reads manifest stores byte by byte.

import { childOf, childrenOf, contentOf, labelOf } from '@provenance-registry/c2pa';
import { box } from '../../src/c2pa/manifest/jumbf.js';
import { isDeterministic } from './cddl.js';

export function labelsOf(store: Uint8Array): string[] {
  return childrenOf(Buffer.from(store)).map(labelOf);
}

/** The content of an assertion of the active manifest. */
export function rawAssertion(store: Uint8Array, label: string): Buffer {
  const active = childrenOf(Buffer.from(store)).at(-1);
  if (!active) throw new Error('an empty store');
  return contentOf(childOf(childOf(active, 'c2pa.assertions'), label));
}

/** Throws unless all CBOR of the active manifest is in the deterministic encoding. */
export function requireDeterministic(store: Uint8Array): void {
  const active = childrenOf(Buffer.from(store)).at(-1) ?? box('jumb');
  const [assertions, claim, signature] = ['c2pa.assertions', 'c2pa.claim.v2', 'c2pa.signature'].map((label) =>
    childOf(active, label),
  );
  const cbor = childrenOf(assertions ?? box('jumb')).filter((one) => !labelOf(one).startsWith('cawg.metadata'));
  for (const one of [...cbor, claim, signature]) {
    if (one && !isDeterministic(contentOf(one))) throw new Error(`${labelOf(one)} is not deterministic`);
  }
}
