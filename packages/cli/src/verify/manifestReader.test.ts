import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readEmbeddedManifest } from '@provenance-registry/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createManifestReader } from './manifestReader.js';
import { OpenedContent } from './openedContent.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provenance-threads-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A worker that acts as crafted files would: one keeps the thread busy, one ends it. */
const worker = `
  import { readSync } from 'node:fs';
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ descriptor, size }) => {
    const bytes = Buffer.alloc(size);
    readSync(descriptor, bytes, 0, size, 0);
    const text = bytes.toString();
    if (text.endsWith('busy')) for (;;);
    if (text.endsWith('crash')) throw new Error('out of memory');
    parentPort.postMessage({ manifest: undefined });
  });
`;

const workerFile = new URL(`data:text/javascript,${encodeURIComponent(worker)}`);
const embeddedReader = createManifestReader(() => new Worker(workerFile));

async function read(name: string, timeoutMs: number) {
  const path = join(folder, name);
  await writeFile(path, `c2pa ${name}`);
  const handle = await open(path);
  try {
    const content = new OpenedContent(handle, (await handle.stat()).size);
    return await readEmbeddedManifest(content, { timeoutMs, embeddedReader });
  } finally {
    await handle.close();
  }
}

it('a file that keeps its thread busy or ends it is told, and the files after it are read', async () => {
  // More than there are threads.
  const busy = await Promise.all(['a busy', 'b busy', 'c busy'].map((name) => read(name, 50)));
  for (const { state, reason } of busy.map((manifest) => manifest ?? { state: 'none', reason: '' })) {
    expect([state, reason]).toEqual(['unreadable', 'Reading the manifest in the file took longer than 0.05 seconds.']);
  }
  expect(await read('crash', 60_000)).toMatchObject({ state: 'unreadable', reason: expect.stringContaining('ended') });
  expect(await read('fine', 60_000)).toBeUndefined();
});
