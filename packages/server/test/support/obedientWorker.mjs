// A worker whose jobs do what the tests of the pool need.

import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { lowerThreadPriority, serveJobs, TransferredResult } from '../../dist/workers/jobs.js';

serveJobs({
  echo: (text) => text,
  giveBack: (block) => new TransferredResult(block, [block]),
  fail: (reason) => {
    throw new Error(reason);
  },
  spin: () => {
    for (;;);
  },
  sleep: () => new Promise(() => setInterval(() => {}, 1_000)),
  leave: () => process.exit(0),
  queryTwice: async (query, queryHost) => Buffer.concat([await queryHost(query), await queryHost(query)]).toString(),
  allocate: () => {
    for (const blocks = []; ; ) blocks.push(Buffer.alloc(10_000_000, 1));
  },
  useCpu: (seconds) => {
    const isDone = ({ user, system }) => user + system >= seconds * 1e6;
    while (!isDone(process.cpuUsage()));
    return process.pid;
  },
  kernelLimits: () => readFileSync('/proc/self/limits', 'utf8'),
  lowerThreadPriority,
  priority: () => getPriority(),
  environment: () => Object.keys(process.env),
  processId: () => process.pid,
});
