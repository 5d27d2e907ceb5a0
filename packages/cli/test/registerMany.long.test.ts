// `provenance register` with more than a thousand files against a fast server of an earlier version: counts, and the number of
// parallel requests.

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleArtifact, exampleMark } from '@provenance-registry/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Machine } from './support/machine.js';

const FOLDERS = 4;
const FILES = 300;
/** Long enough for requests to overlap. */
const RESPONSE_DELAY_MS = 3;
/** One of this many files is a copy. */
const COPY_INTERVAL = 30;

const PARALLEL_REQUESTS = 8;

const requests = { byFingerprint: new Map<string, number>(), parallel: 0, maxParallel: 0 };
let reachParallelism = () => {};
/** No request is answered before: a client that sends fewer in parallel would wait forever. */
const parallelismReached = new Promise<void>((resolve) => {
  reachParallelism = resolve;
});
let server: Server;
let machine: Machine;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    requests.parallel += 1;
    requests.maxParallel = Math.max(requests.maxParallel, requests.parallel);
    if (requests.parallel === PARALLEL_REQUESTS) reachParallelism();
    const body = await text(request);
    // As services did before there were batches.
    if (request.url === '/api/v1/artifacts/batch') {
      requests.parallel -= 1;
      response.writeHead(405, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'It has no POST, only GET.', code: 'METHOD_NOT_ALLOWED' }));
      return;
    }
    const { fingerprint = '' }: { fingerprint?: string } = body ? JSON.parse(body) : {};
    if (fingerprint) requests.byFingerprint.set(fingerprint, (requests.byFingerprint.get(fingerprint) ?? 0) + 1);
    const result = fingerprint ? { ...exampleArtifact, fingerprint } : [{ ...exampleMark, members: [] }];
    if (fingerprint) await parallelismReached;
    await delay(RESPONSE_DELAY_MS);
    requests.parallel -= 1;
    response.writeHead(fingerprint ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  machine = await Machine.create({ PROVENANCE_URL: `http://127.0.0.1:${port}`, PROVENANCE_TOKEN: 'any' });
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(join(machine.home, 'many', String(folder)), { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const content = file % COPY_INTERVAL === 0 ? 'a copy' : `${folder} ${file}`;
      await writeFile(join(machine.home, 'many', String(folder), String(file)), content);
    }
  }
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it('more than a thousand files are sent once each, eight in parallel, and not again by the next run', async () => {
  const copies = (FOLDERS * FILES) / COPY_INTERVAL;
  const different = FOLDERS * FILES - copies + 1;
  const files = FOLDERS * FILES;
  expect(await machine.json(['register', 'many'])).toMatchObject({
    code: 0,
    result: {
      files: expect.objectContaining({ length: files }),
      summary: {
        files,
        registered: different,
        yours: copies - 1,
        hashed: files,
        sent: different,
        fromJournal: 0,
        left: 0,
      },
    },
  });
  expect([requests.byFingerprint.size, new Set(requests.byFingerprint.values())]).toEqual([different, new Set([1])]);
  expect(requests.maxParallel).toBe(PARALLEL_REQUESTS);
  expect(await machine.json(['register', 'many'])).toMatchObject({
    code: 0,
    result: { summary: { files, yours: files, hashed: 0, sent: 0, fromJournal: files } },
  });
  expect([requests.byFingerprint.size, new Set(requests.byFingerprint.values())]).toEqual([different, new Set([1])]);
});
