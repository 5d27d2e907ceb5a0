// Thread that has c2pa-rs read a sidecar as often as each message says, and answers each message when done. In a thread of its
// own, because c2pa-rs gets no network there, and the service needs it.

import { parentPort, workerData } from 'node:worker_threads';
import { initSync } from '@contentauth/c2pa-wasm';
import { readManifest } from '../packages/server/dist/c2pa/reading/readManifest.js';
import { readC2paRs } from '../packages/server/dist/c2pa/reading/wasm.js';

const { sidecar, settings } = workerData;
initSync({ module: readC2paRs() });
parentPort?.on('message', async (count) => {
  for (let done = 0; done < count; done += 1) await readManifest('application/c2pa', sidecar, settings);
  parentPort?.postMessage(undefined);
});
