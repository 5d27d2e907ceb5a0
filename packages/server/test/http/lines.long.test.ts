// Bodies of lines over real connections: order, malformed lines, limits, and clients that stop reading or sending.

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { linesMediaType, type Operation, RegistryError } from '@provenance-registry/core';
import Fastify, { type FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { defaultLimits, type HttpLimits } from '../../src/http/budgets/limits.js';
import { MemoryBudget } from '../../src/http/budgets/memoryBudget.js';
import { sendError } from '../../src/http/errors.js';
import { acceptJsonOnly } from '../../src/http/parsing/json.js';
import type { Item, ProcessItems } from '../../src/http/parsing/ndjson.js';
import { createRouter } from '../../src/http/router.js';
import { trackUploads } from '../../src/http/uploads/uploadsInProgress.js';

const MAX_LINES = 2_000;
const MAX_LINE_BYTES = 40;

const echo = {
  id: 'echo',
  method: 'POST',
  path: '/echo',
  auth: 'none',
  tag: 'Public',
  summary: '',
  description: '',
  body: Type.Object({ values: Type.Array(Type.Unknown(), { maxItems: MAX_LINES }) }),
  lines: {
    member: 'values',
    maxLines: MAX_LINES,
    maxLineBytes: MAX_LINE_BYTES,
    item: Type.Unknown(),
    result: Type.Unknown(),
    exampleItems: [],
    exampleResults: [],
  },
  success: { status: 200, description: '', schema: Type.Object({ results: Type.Array(Type.Unknown()) }) },
  errors: {},
} satisfies Operation;

const apps: FastifyInstance[] = [];
afterAll(() => Promise.all(apps.map((app) => app.close())));

const echoLines: ProcessItems = async (lines) => lines.map(echoLine);

function echoLine(line: Item): object {
  return line.error ? { line: line.number, code: line.error.code, error: line.error.message } : { value: line.value };
}

async function listen(answer: ProcessItems = echoLines, changes: Partial<HttpLimits> = {}) {
  const limits = { ...defaultLimits, ...changes };
  const memory = new MemoryBudget(limits.bodyMemoryBytes);
  const app = Fastify({ forceCloseConnections: true });
  app.setErrorHandler<RegistryError>(sendError);
  acceptJsonOnly(app, memory);
  const route = createRouter(app, {
    authenticate: () => Promise.reject(new Error('not used')),
    operatorToken: undefined,
    requireWritable: async () => {},
    afterWrite: () => {},
    baseUrl: '',
    limits,
    uploads: trackUploads(limits, memory),
    memory,
  });
  route(echo, ({ items }) => items.respond(answer));
  apps.push(app);
  return { url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/echo`, memory };
}

interface Exchange {
  readonly request: ClientRequest;
  readonly response: Promise<IncomingMessage>;
  readonly closed: Promise<unknown>;
}

function open(url: string, type = linesMediaType): Exchange {
  const request = openRequest(url, { method: 'POST', headers: { 'content-type': type }, agent: false });
  request.on('error', () => {});
  const response = once(request, 'response').then(([message]) => message as IncomingMessage);
  response.catch(() => {});
  return { request, response, closed: new Promise((resolve) => request.once('close', resolve)) };
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

async function send(url: string, chunks: readonly (string | Uint8Array)[], type?: string) {
  const { request, response } = open(url, type);
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const message = await response;
  const text = await readAll(message);
  return { status: message.statusCode, type: message.headers['content-type'], headers: message.headers, text };
}

function parse(text: string): unknown[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('a body of lines', () => {
  const valid = 'not valid JSON';
  const cases: [string | Buffer, unknown][] = [
    ['1', { value: 1 }],
    ['{"a": "é"}', { value: { a: 'é' } }],
    ['', undefined],
    ['  \t\r', undefined],
    ['"carriage return"\r', { value: 'carriage return' }],
    ['{"a":', { line: 6, code: 'BAD_REQUEST', error: `The line is ${valid}.` }],
    ['1 2', { line: 7, code: 'BAD_REQUEST', error: `The line is ${valid}.` }],
    [Buffer.from([0x22, 0xff, 0x22]), { line: 8, code: 'BAD_REQUEST', error: 'The line is not valid UTF-8.' }],
    [
      '{"__proto__": 1}',
      {
        line: 9,
        code: 'BAD_REQUEST',
        error: 'The line has a key that is not allowed: __proto__ or constructor.',
      },
    ],
    [`"${'x'.repeat(MAX_LINE_BYTES - 2)}"`, { value: 'x'.repeat(MAX_LINE_BYTES - 2) }],
    [
      `"${'x'.repeat(MAX_LINE_BYTES - 1)}"`,
      { line: 11, code: 'PAYLOAD_TOO_LARGE', error: `The line has more than ${MAX_LINE_BYTES} bytes.` },
    ],
    [
      `"${'x'.repeat(200_000)}"`,
      { line: 12, code: 'PAYLOAD_TOO_LARGE', error: `The line has more than ${MAX_LINE_BYTES} bytes.` },
    ],
    ['null', { value: null }],
  ];
  const body = Buffer.concat(cases.flatMap(([line]) => [Buffer.from(line), Buffer.from('\n')]));
  const expected = cases.flatMap(([, result]) => (result === undefined ? [] : [result]));

  it('gets one line for each, in order: its result, or an error with its number', async () => {
    const { url } = await listen();
    const whole = await send(url, [body]);
    expect([whole.status, whole.type]).toEqual([200, linesMediaType]);
    expect(parse(whole.text)).toEqual(expected);
    // Neither the last newline nor where the chunks end matters.
    expect(parse((await send(url, [body.subarray(0, -1)])).text)).toEqual(expected);
    for (const size of [1, 7, 41]) {
      const start = body.subarray(0, 160);
      const chunks = Array.from({ length: Math.ceil(start.length / size) }, (_, index) =>
        start.subarray(index * size, (index + 1) * size),
      );
      const rest = body.subarray(160);
      expect(parse((await send(url, [...chunks, rest])).text)).toEqual(expected);
    }
    expect(parse((await send(url, [])).text)).toEqual([]);
    expect((await send(url, ['1\n'], 'application/jsonl; charset=utf-8')).text).toBe('{"value":1}\n');
  });

  it('is an alternative to JSON, which is answered in pieces too', async () => {
    const { url } = await listen();
    const values = Array.from({ length: 1_200 }, (_, index) => index);
    const whole = await send(url, [JSON.stringify({ values })], 'application/json');
    expect([whole.status, whole.type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(whole.text)).toEqual({ results: values.map((value) => ({ value })) });
    expect((await send(url, ['{"values":[]}'], 'application/json')).text).toBe('{"results":[]}');
    expect(await send(url, ['{}'], 'application/json')).toMatchObject({ status: 400 });
    expect(await send(url, ['1'], 'text/plain')).toMatchObject({ status: 415 });
    expect((await fetch(url, { method: 'POST' })).status).toBe(400);
  });

  it('gets results while it is still being sent', async () => {
    const { url } = await listen();
    const { request, response } = open(url);
    request.write('1\n2\n');
    const message = (await response).setEncoding('utf8');
    expect((await once(message, 'data'))[0]).toBe('{"value":1}\n{"value":2}\n');
    request.write('3\n');
    expect((await once(message, 'data'))[0]).toBe('{"value":3}\n');
    request.end('4');
    expect(await readAll(message)).toBe('{"value":4}\n');
  });

  it('is answered up to the number of lines that is allowed, and then with the reason', async () => {
    const { url } = await listen();
    const { status, text } = await send(url, ['1\n'.repeat(MAX_LINES), '2\n3\n']);
    const results = parse(text);
    expect([status, results.length]).toEqual([200, MAX_LINES + 1]);
    expect(results.slice(-2)).toEqual([
      { value: 1 },
      { line: MAX_LINES + 1, code: 'PAYLOAD_TOO_LARGE', error: `The body has more than ${MAX_LINES} lines.` },
    ]);
  });

  it('gets an error response when nothing could be answered, later a last line with the reason', async () => {
    const answer: ProcessItems = async (lines) => {
      if (lines.some((line) => !line.error && line.value === 'fail')) throw new RegistryError('UNAVAILABLE', 'Busy.');
      if (lines.some((line) => !line.error && line.value === 'crash')) throw new Error('a secret of the service');
      return echoLines(lines);
    };
    const { url } = await listen(answer);
    const refused = await send(url, ['"fail"\n']);
    expect([refused.status, refused.headers['retry-after'], JSON.parse(refused.text)]).toEqual([
      503,
      '2',
      { error: 'Busy.', code: 'UNAVAILABLE' },
    ]);
    expect(await send(url, ['{"values":["fail"]}'], 'application/json')).toMatchObject({ status: 503 });
    for (const [word, error] of [
      ['fail', { error: 'Busy.', code: 'UNAVAILABLE' }],
      ['crash', { error: 'Something went wrong on our side.', code: 'INTERNAL' }],
    ]) {
      const { request, response } = open(url);
      request.write('1\n2\n');
      const message = await response;
      request.end(`"${word}"\n4\n`);
      expect(parse(await readAll(message))).toEqual([{ value: 1 }, { value: 2 }, { line: 3, ...Object(error) }]);
    }
  });
});

describe('a client that sends lines', () => {
  const hasty = { uploadCheckMs: 200, uploadBytesPerCheck: 2_000, lingerMs: 50 };

  it('and stops reading is answered no further, and disconnected', async () => {
    const PIECE_BYTES = 10_000_000;
    let answered = 0;
    const { url, memory } = await listen(async (lines) => {
      answered += lines.length;
      return lines.map(() => ({ text: 'x'.repeat(PIECE_BYTES / 500) }));
    }, hasty);
    const { request, response, closed } = open(url);
    request.end('1\n'.repeat(MAX_LINES));
    const message = await response;
    message.pause();
    expect(memory.heldBytes).toBeGreaterThan(0);
    expect(memory.heldBytes).toBeLessThan(2.1 * PIECE_BYTES);
    await waitUntil(() => memory.heldBytes === 0, 'the memory is released');
    expect(answered).toBeLessThan(MAX_LINES);
    // A client that does not read does not notice either.
    message.on('error', () => {}).resume();
    await closed;
    expect(message.complete).toBe(false);
  });

  it('and then no more gets the reason, and is disconnected', async () => {
    const { url } = await listen(echoLines, hasty);
    const { request, response, closed } = open(url);
    request.write('1\n');
    expect(parse(await readAll(await response))).toEqual([
      { value: 1 },
      { line: 2, code: 'REQUEST_TIMEOUT', error: 'The upload is slower than 10000 bytes per second.' },
    ]);
    await closed;
  });

  it('is not disconnected because the service is slow', async () => {
    const { url } = await listen(async (lines) => {
      await delay(5 * hasty.uploadCheckMs);
      return echoLines(lines);
    }, hasty);
    expect((await send(url, ['1\n'])).text).toBe('{"value":1}\n');
  });

  it('and disconnects makes room for others', async () => {
    const { url } = await listen(echoLines, { uploadsPerClient: 1 });
    const { request, response } = open(url);
    request.write('1\n');
    await response;
    expect((await send(url, ['1\n'])).status).toBe(503);
    request.destroy();
    await waitUntil(async () => (await send(url, ['1\n'])).status === 200, 'another client is served');
  });

  it('loses its results to others that hold less when the memory is used up', async () => {
    const { url, memory } = await listen(
      async (lines) => lines.map((line) => ({ text: 'x'.repeat(line.error ? 0 : Number(line.value)) })),
      { bodyMemoryBytes: 30_000_000, lingerMs: 600_000 },
    );
    const { request, response } = open(url);
    request.end('20000\n'.repeat(MAX_LINES));
    const message = (await response).pause();
    await waitUntil(() => memory.heldBytes > 15_000_000, 'results wait for the client');
    const { request: small, response: answer } = open(url);
    small.end('20000\n'.repeat(700));
    expect(parse(await readAll(await answer))).toHaveLength(700);
    expect(parse(await readAll(message)).at(-1)).toMatchObject({ code: 'UNAVAILABLE' });
  });
});
