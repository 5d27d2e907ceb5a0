// Measures and traces the parts outside of this process that creations need: file store, signer and time-stamp authority.

import type { FileStore, Tracer } from '../domain/ports/index.js';
import { fileStoreDuration, measure, signerDuration } from './metrics.js';

export function observeFileStore(store: FileStore, tracer: Tracer): FileStore {
  const observe = <T>(operation: string, work: () => Promise<T>) =>
    tracer.span(`files ${operation}`, () =>
      measure((outcome, seconds) => fileStoreDuration.observe({ operation, outcome }, seconds), work),
    );
  return {
    publish: (files) => observe('publish', () => store.publish(files)),
    read: (name) => observe('read', () => store.read(name)),
    remove: (name) => observe('remove', () => store.remove(name)),
    list: () => store.list(),
    check: () => observe('check', () => store.check()),
  };
}

interface ObservedSigning {
  readonly signing: {
    readonly signer: { sign(data: Uint8Array): Promise<Uint8Array> };
    readonly timestamper: { stamp(data: Uint8Array): Promise<Uint8Array> };
  };
}

export function observeSigning<Prepared extends ObservedSigning>(prepared: Prepared, tracer: Tracer): Prepared {
  const { signing } = prepared;
  const { signer, timestamper } = signing;
  const sign = (data: Uint8Array) =>
    tracer.span('claim signature', () =>
      measure(
        (outcome, seconds) => signerDuration.observe({ outcome }, seconds),
        () => signer.sign(data),
      ),
    );
  // Time-stamps are measured for each authority, in the client.
  const stamp = (data: Uint8Array) => tracer.span('time-stamp', () => timestamper.stamp(data));
  return {
    ...prepared,
    signing: { ...signing, signer: { ...signer, sign }, timestamper: { ...timestamper, stamp } },
  };
}
