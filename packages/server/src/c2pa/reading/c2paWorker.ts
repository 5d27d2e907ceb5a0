// Worker process that reads manifests in untrusted files, with c2pa-rs.

import { initSync } from '@contentauth/c2pa-wasm';
import { lowerThreadPriority, serveJobs } from '../../workers/jobs.js';
import { type CreationJob, createFiles } from '../manifest/creationFiles.js';
import { readTimestampedManifest } from '../timestamps/timestampedManifest.js';
import { inspectManifest } from './inspectManifest.js';
import type { ReaderSettings } from './readerSettings.js';
import { checkC2paRs, readManifest } from './readManifest.js';
import { readC2paRs } from './wasm.js';

interface ReadJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  readonly settings: ReaderSettings;
}

lowerThreadPriority();
initSync({ module: readC2paRs() });

const read = ({ format, bytes, settings }: ReadJob) => readManifest(format, bytes, settings);

/** Creates the files of an Artifact whose sidecar contains untrusted manifests. */
const create = ({ settings, ...job }: CreationJob & { readonly settings: ReaderSettings }) =>
  createFiles(job, settings);

const jobs = {
  read,
  create,
  inspect: inspectManifest,
  readTimestamped: readTimestampedManifest,
  check: checkC2paRs,
};
export type C2paJobs = typeof jobs;
serveJobs(jobs);
