// Worker thread for work that would block the event loop for milliseconds: reading manifests with c2pa-rs, drawing cards.

import { workerData } from 'node:worker_threads';
import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { drawCard } from './card.js';
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

/** The report of c2pa-rs, as JSON. */
async function read({ format, bytes }: { format: string; bytes: Uint8Array }): Promise<string> {
  const reader = await WasmReader.fromBytes(format, bytes, settings);
  try {
    return reader.json();
  } finally {
    reader.free();
  }
}

/** One job for the report and the picture, because waking a thread has a cost too. */
async function create({ sidecar, digest, fingerprint }: CreationJob): Promise<CreationResult> {
  const readerReport: unknown = JSON.parse(await read({ format: 'application/c2pa', bytes: sidecar }));
  return {
    report: Buffer.from(JSON.stringify(sidecarReport(readerReport, sidecar, digest))),
    picture: drawCard(`0x${Buffer.from(fingerprint).toString('hex')}`),
  };
}

const jobs = { read, create };
export type ReaderJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);
