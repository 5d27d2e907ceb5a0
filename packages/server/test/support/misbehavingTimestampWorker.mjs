// In the place of the process that checks time-stamps: does what the token tells it to.

import { serveJobs } from '../../dist/workers/jobs.js';

function misbehave({ bytes }) {
  if (Buffer.from(bytes).toString() === 'exit') process.exit(1);
  return { state: 'trusted', reason: null, time: 'yesterday', source: 7 };
}

serveJobs({ checkTimestamp: misbehave });
