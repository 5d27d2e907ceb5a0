// Worker thread for the files of a new Artifact: has c2pa-rs read the sidecar that the service has just written, and draws
// the card. Both would block the event loop for milliseconds.

import { workerData } from 'node:worker_threads';
import { initSync } from '@contentauth/c2pa-wasm';
import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { drawCard } from './card.js';
import { checkC2paRs, readManifest } from './readManifest.js';
import { sidecarReport } from './report.js';
import type { CompiledC2paRs } from './wasm.js';

/** `settings`: of c2pa-rs, as JSON. */
const { wasm, settings }: { wasm: CompiledC2paRs; settings: string } = workerData;
initSync({ module: wasm });

type CreationResult = Readonly<Record<'report' | 'picture', Uint8Array>>;

export interface CreationJob {
  readonly sidecar: Uint8Array;
  readonly digest: Uint8Array | undefined;
  readonly fingerprint: Uint8Array;
}

/** One job for the report and the picture, because waking a thread has a cost too. */
async function create({ sidecar, digest, fingerprint }: CreationJob): Promise<CreationResult> {
  const readerReport: unknown = JSON.parse(await readManifest('application/c2pa', sidecar, settings));
  return {
    report: Buffer.from(JSON.stringify(sidecarReport(readerReport, sidecar, digest))),
    picture: drawCard(`0x${Buffer.from(fingerprint).toString('hex')}`),
  };
}

const jobs = { create, check: checkC2paRs };
export type CreationJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);
