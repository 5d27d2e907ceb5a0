// Regressions that the fuzzer found; see docs/internals/testing.md.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { errorStatus } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { BOUNDARY, fieldParts, filePart, formBody } from '../../../../test/support/artifacts.js';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { call, type ServiceProcess, startServiceProcess } from '../../../../test/support/service.js';
import { defaultLimits } from '../../src/http/budgets/limits.js';
import { MemoryBudget } from '../../src/http/budgets/memoryBudget.js';
import { receiveFile, receiveForm, releaseFile } from '../../src/http/uploads/uploads.js';
import { trackUploads } from '../../src/http/uploads/uploadsInProgress.js';
import { exchange, type WireRequest } from '../fuzz/wire.js';
import { startEngine } from '../support/manifests.js';

let service: ServiceProcess;
let port: number;
beforeAll(async () => {
  service = await startServiceProcess();
  port = Number(new URL(service.url).port);
});

const plain: WireRequest = {
  method: 'GET',
  target: '/api/v1/me',
  headers: [
    ['host', 'a'],
    ['connection', 'close'],
  ],
  framing: 'length',
};

describe('an error with the usual body and headers is the response to', () => {
  it.each<[string, Partial<WireRequest>, keyof typeof errorStatus]>([
    ['a request without a Host header', { headers: [['connection', 'close']] }, 'BAD_REQUEST'],
    ['an unknown expectation', { headers: [...plain.headers, ['expect', 'a miracle']] }, 'UNAUTHORIZED'],
    ['CONNECT, as for a proxy', { method: 'CONNECT', target: 'a:80' }, 'BAD_REQUEST'],
    ['an unknown HTTP method', { method: 'BREW' }, 'BAD_REQUEST'],
    ['a path with a malformed escape sequence', { target: '/api/v1/marks/%' }, 'BAD_REQUEST'],
    ['a manifest ID with a malformed escape sequence', { target: '/api/c2pa/manifests/%ff' }, 'NOT_FOUND'],
    ['too large headers', { headers: [...plain.headers, ['a', 'b'.repeat(20_000)]] }, 'HEADERS_TOO_LARGE'],
  ])('%s', async (_, changes, code) => {
    const answer = await exchange(port, { ...plain, ...changes });
    expect(answer?.status).toBe(errorStatus[code]);
    expect(JSON.parse(String(answer?.body))).toEqual({ error: expect.any(String), code });
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });
});

describe('a form', () => {
  const memory = new MemoryBudget(defaultLimits.bodyMemoryBytes);
  const uploads = trackUploads(defaultLimits, memory);
  const receive = (form: Buffer) => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const request = Object.assign(new PassThrough(), { headers });
    request.end(form);
    // receiveForm uses only the headers and the stream of a request.
    const limits = { maxBytes: 100, maxBufferedBytes: 100 };
    const upload = uploads('client', { bytesRead: 0 });
    return receiveForm(request as unknown as IncomingMessage, limits, upload).finally(upload.finish);
  };

  it('with a part that ends within its headers is rejected without waiting', async () => {
    const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n`;
    const answer = await exchange(port, {
      ...plain,
      method: 'POST',
      target: '/api/c2pa/matches/byContent',
      headers: [...plain.headers, ['content-type', `multipart/form-data; boundary=${BOUNDARY}`]],
      body: Buffer.from(`${part}\r\n--${BOUNDARY}--\r\n`),
    });
    expect(answer?.status).toBe(400);
  });

  it('whose client disconnects within the file is no internal error', async () => {
    const stream = new PassThrough();
    const upload = uploads('client', { bytesRead: 0 });
    const received = receiveFile(stream, { maxBytes: 100, maxBufferedBytes: 100 }, upload).finally(upload.finish);
    stream.destroy(new Error('aborted'));
    await expect(received).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('that is rejected releases a file that follows the error', async () => {
    const form = formBody([...fieldParts({ a: 1 }), ...fieldParts({ a: 2 }), filePart('a file')]);
    await expect(receive(form)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    // After another complete form, the first one has been processed too.
    const { file } = await receive(formBody([filePart('another file')]));
    if (file) releaseFile(file);
    expect(memory.heldBytes).toBe(0);
  });
});

describe('an image', () => {
  it('with a hundred thousand segments is rejected without delaying others', async () => {
    const embedder = createTestEmbedder(await startEngine());
    const segment = Buffer.from('ffe10004aaaa', 'hex');
    const fill = Buffer.from('ff', 'hex');
    const restart = Buffer.from('ffd0', 'hex');
    for (const pieces of [[segment], [fill, segment], [restart, segment]]) {
      const many = Array.from({ length: 100_000 }, () => pieces).flat();
      const bytes = Buffer.concat([Buffer.from('ffd8', 'hex'), ...many, Buffer.from('ffd9', 'hex')]);
      const request = {
        mediaType: 'image/jpeg',
        bytes,
        fingerprint: Buffer.alloc(32),
        claims: { allowAiTraining: null },
      } as const;
      await expect(embedder.embed(request)).rejects.toThrow('The JPEG has too many segments.');
    }
  });
});

describe('a client that disconnects', () => {
  it('is no longer counted as a request in progress', async () => {
    const inFlight = async () => {
      const { body } = await call(service, 'GET', '/metrics');
      return /^http_requests_in_flight (\d+)$/m.exec(String(body))?.[1];
    };
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    );
    await expect.poll(inFlight).toBe('2');
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(inFlight).toBe('1');
  });
});
