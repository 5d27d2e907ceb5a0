// Files with content that no test has registered before.

import { createHash } from 'node:crypto';
import type { Fingerprint } from '@provenance-registry/core';
import { randomUUID } from './random.js';

export interface TestFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly fingerprint: Fingerprint;
  /** The fingerprint in base64, as a lookup by binding takes it. */
  readonly value: string;
}

export function newFile(): TestFile {
  return toTestFile(Buffer.from(`file ${randomUUID()}`));
}

export function toTestFile(bytes: Buffer<ArrayBuffer>): TestFile {
  const digest = createHash('sha256').update(bytes).digest();
  return { bytes, fingerprint: `0x${digest.toString('hex')}`, value: digest.toString('base64') };
}
