// Measures the parts outside of this process that creations need: the file store and the signer.

import type { FileStore } from '../domain/ports/index.js';
import { fileStoreDuration, measure, signerDuration } from './metrics.js';

export function observeFileStore(store: FileStore): FileStore {
  const observe = <T>(operation: string, work: () => Promise<T>) =>
    measure((outcome, seconds) => fileStoreDuration.observe({ operation, outcome }, seconds), work);
  return {
    publish: (files) => observe('publish', () => store.publish(files)),
    read: (name) => observe('read', () => store.read(name)),
    remove: (name) => observe('remove', () => store.remove(name)),
    list: () => store.list(),
    check: () => observe('check', () => store.check()),
  };
}

interface WithSigner {
  readonly signing: { readonly signer: { sign(data: Uint8Array): Promise<Uint8Array> } };
}

export function observeSigner<Prepared extends WithSigner>(prepared: Prepared): Prepared {
  const { signing } = prepared;
  const { signer } = signing;
  const sign = (data: Uint8Array) =>
    measure(
      (outcome, seconds) => signerDuration.observe({ outcome }, seconds),
      () => signer.sign(data),
    );
  return { ...prepared, signing: { ...signing, signer: { ...signer, sign } } };
}
