// Worker process that decodes time-stamps of strangers.

import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { checkTimestamp } from './checkTimestamp.js';

lowerThreadPriority();

const jobs = { checkTimestamp };
export type EvidenceJobs = typeof jobs;
serveJobs(jobs);
