// The report on a sidecar that the service has just written, and the picture of its card, in a worker that has loaded
// c2pa-rs. Both would block the event loop for milliseconds.

import { drawCard } from '../card/card.js';
import type { ReaderSettings } from '../reading/readerSettings.js';
import { readManifest } from '../reading/readManifest.js';
import { requireIdentity, sidecarReport } from './report.js';

export interface CreationJob {
  readonly sidecar: Uint8Array;
  readonly digest: Uint8Array | undefined;
  readonly fingerprint: Uint8Array;
  /** The sidecar states an identity, which must be valid. */
  readonly hasIdentity: boolean;
}

type CreationResult = Readonly<Record<'report' | 'picture', Uint8Array>>;

/** One job for the report and the picture, because waking a worker has a cost too. */
export async function createFiles(
  { sidecar, digest, fingerprint, hasIdentity }: CreationJob,
  settings: ReaderSettings,
): Promise<CreationResult> {
  const readerReport: unknown = JSON.parse(await readManifest('application/c2pa', sidecar, settings));
  if (hasIdentity) requireIdentity(readerReport);
  return {
    report: Buffer.from(JSON.stringify(sidecarReport(readerReport, sidecar, digest))),
    picture: drawCard(`0x${Buffer.from(fingerprint).toString('hex')}`),
  };
}
