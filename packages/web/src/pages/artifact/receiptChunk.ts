// Reads the receipt of an Artifact and checks it. A module of its own, because the verifier loads on demand.

import { type CheckedReceipt, type RegistryClient, readReceipt } from '@provenance-registry/client';
import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { saveFile } from '../../ui/file/saveFile.js';
import { type OwnSources, toVerifyOptions } from '../verify/ownSources.js';

/** The log takes in a registration within seconds. */
const WAIT_SECONDS = 10;

export function readCheckedReceipt(
  client: RegistryClient,
  { artifact, fingerprint }: { readonly artifact: Artifact; readonly fingerprint: Fingerprint },
  own: OwnSources,
  signal: AbortSignal,
): Promise<CheckedReceipt> {
  return readReceipt(fingerprint, { client, artifact, ...toVerifyOptions(own), wait: WAIT_SECONDS, signal });
}

export function saveText(text: string, name: string): void {
  saveFile(new Blob([text], { type: 'text/plain' }), name);
}
