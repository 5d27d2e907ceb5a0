// Worker process that decodes untrusted time-stamps.

import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { checkTimestamp } from './checkTimestamp.js';

lowerThreadPriority();

const jobs = { checkTimestamp };
export type EvidenceJobs = typeof jobs;
serveJobs(jobs);
