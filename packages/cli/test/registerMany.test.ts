// `provenance register` with many files, against a server that answers fast: counts, and how many requests there are
// at the same time.

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleArtifact, exampleMark } from '@provenance-registry/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Machine } from './support/provenance.js';

const FOLDERS = 10;
const FILES = 300;
/** So that requests overlap. */
const ANSWER_MS = 3;
/** Every so many files, one is a copy. */
const COPIES_EVERY = 30;

const seen = { fingerprints: new Map<string, number>(), atOnce: 0, mostAtOnce: 0 };
let eightAreHere = () => {};
/** Nothing is answered before: whoever sends fewer at once would wait for ever. */
const eight = new Promise<void>((resolve) => {
  eightAreHere = resolve;
});
let server: Server;
let machine: Machine;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    seen.atOnce += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
    if (seen.atOnce === 8) eightAreHere();
    const body = await text(request);
    const { fingerprint = '' }: { fingerprint?: string } = body ? JSON.parse(body) : {};
    if (fingerprint) seen.fingerprints.set(fingerprint, (seen.fingerprints.get(fingerprint) ?? 0) + 1);
    const answer = fingerprint ? { ...exampleArtifact, fingerprint } : [{ ...exampleMark, members: [] }];
    if (fingerprint) await eight;
    await delay(ANSWER_MS);
    seen.atOnce -= 1;
    response.writeHead(fingerprint ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  machine = await Machine.create({ PROVENANCE_URL: `http://127.0.0.1:${port}`, PROVENANCE_TOKEN: 'any' });
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(join(machine.home, 'many', String(folder)), { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const content = file % COPIES_EVERY === 0 ? 'a copy' : `${folder} ${file}`;
      await writeFile(join(machine.home, 'many', String(folder), String(file)), content);
    }
  }
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it('thousands of files are sent once each, eight at a time, and are known the next time', async () => {
  const copies = (FOLDERS * FILES) / COPIES_EVERY;
  const different = FOLDERS * FILES - copies + 1;
  const files = FOLDERS * FILES;
  expect(await machine.json(['register', 'many'])).toMatchObject({
    code: 0,
    answer: {
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
  expect([seen.fingerprints.size, new Set(seen.fingerprints.values())]).toEqual([different, new Set([1])]);
  expect(seen.mostAtOnce).toBe(8);
  expect(await machine.json(['register', 'many'])).toMatchObject({
    code: 0,
    answer: { summary: { files, yours: files, hashed: 0, sent: 0, fromJournal: files } },
  });
  expect([seen.fingerprints.size, new Set(seen.fingerprints.values())]).toEqual([different, new Set([1])]);
});
