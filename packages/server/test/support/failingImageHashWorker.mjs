// The thread of the index of images; it ends after it was asked for this many hits.

import { parentPort } from 'node:worker_threads';
import '../../bundle/imageHashWorker.js';

const FATAL_HITS = 666;

parentPort?.on('message', ({ name, input }) => {
  if (name === 'scan' && input.searches.some(({ maxHits }) => maxHits === FATAL_HITS)) process.exit(1);
});
