// Mutated real files for every parser, in this process: nothing crashes or hangs, and no changed file counts as unchanged.
// `npm run fuzz` runs longer.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { childrenOf, contentOf, labelOf, parseDer, splitDer } from '@provenance-registry/c2pa';
import { RegistryError } from '@provenance-registry/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDARY, fieldParts, filePart, formBody } from '../../../../test/support/artifacts.js';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { ContainerError, extractManifestStore, prepareFile, writableTypes } from '../../src/c2pa/containers/index.js';
import { decodeCbor } from '../../src/c2pa/manifest/cbor.js';
import { superbox } from '../../src/c2pa/manifest/jumbf.js';
import { assetReport, sidecarReport } from '../../src/c2pa/manifest/report.js';
import { timestampClient } from '../../src/c2pa/timestamps/timestampClient.js';
import { parseBinding } from '../../src/domain/lookups/lookups.js';
import { defaultLimits } from '../../src/http/budgets/limits.js';
import { MemoryBudget } from '../../src/http/budgets/memoryBudget.js';
import { receiveForm, releaseFile } from '../../src/http/uploads/uploads.js';
import { trackUploads } from '../../src/http/uploads/uploadsInProgress.js';
import { bearerTokens } from '../../src/identity/tokens.js';
import { createMedia } from '../../src/media/index.js';
import type { EmbeddableType } from '../support/embeddableImages.js';
import { startEngine } from '../support/manifests.js';
import { images, sounds } from './files.js';
import { brokenTokens } from './fixture.js';
import { changed, changes } from './mutations.js';
import { hostileForms } from './requests.js';
import { fuzzLength, SHORT_RUNS } from './runs.js';
import { hostileText } from './values.js';

const { seed, runs, timeoutMs } = fuzzLength();

/** `times`: iterations in the short form, scaled for longer runs. Fast parsers get more. */
function check<T>(times: number, what: fc.Arbitrary<T>, feed: (value: T) => Promise<void> | void): Promise<void> {
  return fc.assert(
    fc.asyncProperty(what, async (value) => feed(value)),
    { seed, numRuns: Math.ceil((runs / SHORT_RUNS) * times) },
  );
}

let fixture: Awaited<ReturnType<typeof startEngine>>;
let embedder: ReturnType<typeof createTestEmbedder>;
let pictures: Record<string, Buffer<ArrayBuffer>>;
let sidecar: Buffer;
let report: unknown;
const fingerprint = createHash('sha256').update('a file').digest();
const media = createMedia();

beforeAll(async () => {
  fixture = await startEngine();
  embedder = createTestEmbedder(fixture);
  pictures = await images();
  const made = await fixture.engine.create({
    client: 'ada',
    artifactId: randomUUID(),
    fingerprint,
    digest: fingerprint,
    title: 'a file',
    claims: { allowAiTraining: false, author: { name: 'Ada' }, licenseKey: 'CC0-1.0' },
  });
  sidecar = Buffer.from(made.sidecar);
  report = JSON.parse(made.report.toString()).manifests;
});
afterAll(() => media.close());

describe('forms', () => {
  const memory = new MemoryBudget(defaultLimits.bodyMemoryBytes);
  const uploads = trackUploads(defaultLimits, memory);
  const form = formBody([...fieldParts({ markId: randomUUID(), size: 5 }), filePart('hello'.repeat(50), 'é".txt')]);
  const pieces = fc.tuple(
    fc.oneof({ weight: 4, arbitrary: changes.map((list) => changed(form, list)) }, fc.constantFrom(...hostileForms())),
    fc.constantFrom(1, 7, 100, 1_000_000),
    fc.boolean(),
  );

  it(
    'are read or refused, however they are cut, and hold no memory after that',
    () =>
      check(300, pieces, async ([bytes, size, breaksOff]) => {
        // Not compared with zero, so that a leak is reported for the iteration that caused it.
        const before = memory.heldBytes;
        const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
        const request = Object.assign(new PassThrough(), { headers });
        // receiveForm uses only the headers and the stream of a request.
        const upload = uploads('client', { bytesRead: 0 });
        const limits = { maxBytes: 10_000, maxBufferedBytes: 5_000 };
        const received = receiveForm(request as unknown as IncomingMessage, limits, upload).finally(upload.finish);
        const outcome = received.catch((error: unknown) => error);
        for (let at = 0; at < bytes.length; at += Math.max(size, bytes.length / 500)) {
          request.write(bytes.subarray(at, at + Math.max(size, bytes.length / 500)));
        }
        if (breaksOff) request.emit('aborted');
        request.end();
        const form = await outcome;
        if (form instanceof Error) expect(form).toBeInstanceOf(RegistryError);
        else if (typeof form === 'object' && form !== null && 'file' in form)
          releaseFile((await received).file ?? never());
        await expect.poll(() => memory.heldBytes, { interval: 1 }).toBe(before);
      }),
    timeoutMs,
  );
});

function never(): never {
  throw new Error('cannot be');
}

describe('values in base64', () => {
  it(
    'are taken only when they are 32 bytes, and for those bytes',
    () =>
      check(500, fc.oneof(fc.base64String(), fc.uint8Array({ minLength: 31, maxLength: 33 }), hostileText), (value) => {
        const text = typeof value === 'string' ? value : Buffer.from(value).toString('base64');
        try {
          const found = parseBinding('sha256', text);
          expect(Buffer.from(found.slice(2), 'hex')).toEqual(Buffer.from(text, 'base64'));
          expect(found).toHaveLength(66);
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_REQUEST' });
          if (typeof value !== 'string') expect(value).not.toHaveLength(32);
        }
      }),
    timeoutMs,
  );
});

describe('tokens', () => {
  it(
    'that were changed authenticate no user',
    async () => {
      const tokens = bearerTokens('the secret of this test', undefined);
      const now = new Date();
      const { token } = await tokens.issue(randomUUID(), randomUUID(), now);
      const decoded = (text: string) =>
        text
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString('hex'))
          .join();
      const changedTokens = changes.map((list) => changed(Buffer.from(token), list).toString('latin1'));
      const broken = fc.constantFrom(...brokenTokens(token, `svc_${'a'.repeat(22)}`));
      await check(300, fc.oneof({ weight: 4, arbitrary: changedTokens }, broken, hostileText), async (text) => {
        const identity = await tokens.verify(text, now);
        // The last character of a part has unused bits: such a token is equal.
        if (identity !== undefined) expect(decoded(text)).toBe(decoded(token));
      });
    },
    timeoutMs,
  );
});

describe('manifests', () => {
  it(
    'that were changed are refused, or say what they said',
    () =>
      check(120, changes, async (list) => {
        const bytes = changed(sidecar, list);
        const read = await fixture.reader.read('application/c2pa', bytes).catch(() => undefined);
        try {
          expect(sidecarReport(read, bytes, fingerprint)).toHaveProperty('manifests', report);
        } catch (error) {
          if (error instanceof Error && error.name === 'AssertionError') throw error;
        }
      }),
    timeoutMs,
  );

  it(
    'are taken apart, or refused with an error',
    () =>
      check(1_000, changes, (list) => {
        const bytes = changed(sidecar, list);
        expect(walk(bytes, 0)).toBeLessThan(1_000);
      }),
    timeoutMs,
  );

  /** Reads every box with its label and content until an error. */
  function walk(box: Buffer, depth: number): number {
    if (depth > 20) throw new Error('too deep');
    const children = attempt(() => childrenOf(box)) ?? [];
    attempt(() => labelOf(box));
    const content = attempt(() => contentOf(box));
    if (content) attempt(() => decodeCbor(content));
    attempt(() => [...splitDer(box)]);
    return children.reduce((sum, child) => sum + walk(child, depth + 1), 1);
  }

  function attempt<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return undefined;
    }
  }
});

describe('files that hold manifests', () => {
  const types = [...writableTypes, 'audio/wav', 'audio/mpeg', 'video/mp4', 'application/pdf'];
  const store = superbox('c2pa', 'c2pa', randomBytes(700));
  const found = (bytes: Uint8Array, mediaType: string) => {
    const extracted = extractManifestStore(bytes, mediaType);
    return extracted !== undefined && store.equals(extracted);
  };

  it.each(writableTypes)(
    '%s that were changed hold a manifest that is found again, or are refused',
    async (mediaType) => {
      const original = pictures[mediaType] ?? Buffer.alloc(0);
      const signed = insert(original, mediaType) ?? Buffer.alloc(0);
      expect(found(signed, mediaType)).toBe(true);
      await check(300, fc.tuple(changes, fc.boolean(), fc.constantFrom(...types)), ([list, isSigned, anyType]) => {
        const bytes = changed(isSigned ? signed : original, list);
        expect(extractManifestStore(bytes, anyType)?.length ?? 0).toBeLessThanOrEqual(bytes.length);
        const inserted = insert(bytes, mediaType);
        if (inserted) expect(found(inserted, mediaType)).toBe(true);
      });
    },
    timeoutMs,
  );

  /** Undefined when the file is refused. */
  function insert(bytes: Uint8Array, mediaType: EmbeddableType): Buffer | undefined {
    try {
      const { before, wrap, after } = prepareFile(bytes, mediaType).place(store.length);
      return Buffer.concat([...before, wrap(store), ...after]);
    } catch (error) {
      expect(error).toBeInstanceOf(ContainerError);
      return undefined;
    }
  }
});

describe('pictures and sounds', () => {
  const hashes = { pHash: /^0x[0-9a-f]{16}$/, chromaprint: /^AQA[\w-]+$/ };

  it.each(writableTypes)(
    '%s that were changed have a hash or none',
    (mediaType) => inspect(pictures[mediaType] ?? Buffer.alloc(0), 25),
    timeoutMs,
  );

  it.each(Object.entries(sounds()))(
    '%s that were changed have a fingerprint or none',
    (_, file) => inspect(file, 8),
    timeoutMs,
  );

  function inspect(file: Buffer, share: number): Promise<void> {
    return check(share, changes, async (list) => {
      const facts = await media.inspect(changed(file, list), undefined);
      expect(['image', 'audio', 'video', 'document', 'other']).toContain(facts.kind);
      if (facts.codes) expect(facts.codes.pHash).toMatch(hashes.pHash);
      if (facts.chromaprint !== undefined) expect(facts.chromaprint).toMatch(hashes.chromaprint);
    });
  }

  it.each(writableTypes)(
    '%s that were changed get a manifest that holds, or are refused; and the next one gets one',
    async (mediaType) => {
      const original = pictures[mediaType] ?? Buffer.alloc(0);
      const embed = (bytes: Uint8Array) =>
        embedder.embed({
          mediaType,
          bytes,
          fingerprint,
          title: 'picture',
          claims: { allowAiTraining: null },
        });
      await check(12, changes, async (list) => {
        const signed = await embed(changed(original, list)).catch((error: unknown) => error);
        if (!(signed instanceof Uint8Array)) expect(signed).toMatchObject({ code: 'BAD_REQUEST' });
        else expect(assetReport(await fixture.reader.read(mediaType, signed)).validation_state).toBe('Trusted');
      });
      const signed = await embed(original);
      expect(assetReport(await fixture.reader.read(mediaType, signed))).toMatchObject({ validation_state: 'Trusted' });
    },
    timeoutMs,
  );
});

describe('time-stamps', () => {
  const request = Buffer.from(
    `30400201013031300d060960864801650304020105000420${'ab'.repeat(32)}02030102030101ff`.replace(/^3040/, '303e'),
    'hex',
  );

  it(
    'that are asked for in a changed way are answered in the form of the RFC',
    () =>
      check(300, changes, (list) => {
        const answer = fixture.authority?.timestamps.respond(changed(request, list)) ?? Buffer.alloc(0);
        const { tag, whole } = parseDer(answer);
        expect([tag, whole.length]).toEqual([0x30, answer.length]);
      }),
    timeoutMs,
  );

  it(
    'that an authority changed on their way are refused, or are over what was asked for',
    async () => {
      const { timestamps } = fixture.authority ?? never();
      let list: Parameters<typeof changed>[1] = [];
      let asked = Buffer.alloc(0);
      const server = createServer(async (incoming, outgoing) => {
        asked = Buffer.concat(await incoming.toArray());
        outgoing.end(changed(timestamps.respond(asked), list));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const client = timestampClient([`http://127.0.0.1:${port}`]);
      expect(await client.stamp(fingerprint)).toBeInstanceOf(Buffer);
      await check(30, changes, async (next) => {
        list = next;
        const token = await client.stamp(fingerprint).catch((error: unknown) => error);
        if (token instanceof Error) expect(token).toMatchObject({ code: 'UNAVAILABLE' });
        else
          expect(Buffer.from(token as Uint8Array).includes(createHash('sha256').update(fingerprint).digest())).toBe(
            true,
          );
      });
      server.closeAllConnections();
      server.close();
    },
    timeoutMs,
  );
});
