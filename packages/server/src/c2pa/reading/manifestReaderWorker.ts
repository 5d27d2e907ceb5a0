// Worker thread for the files of a new Artifact, all of whose manifests this service has written.

import { workerData } from 'node:worker_threads';
import { initSync } from '@contentauth/c2pa-wasm';
import { lowerThreadPriority, serveJobs } from '../../workers/jobs.js';
import { type CreationJob, createFiles } from '../manifest/creationFiles.js';
import type { ReaderSettings } from './readerSettings.js';
import { checkC2paRs } from './readManifest.js';
import type { CompiledC2paRs } from './wasm.js';

const { wasm, settings }: { wasm: CompiledC2paRs; settings: ReaderSettings } = workerData;
initSync({ module: wasm });

const create = (job: CreationJob) => createFiles(job, settings);

const jobs = { create, check: checkC2paRs };
export type CreationJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);
