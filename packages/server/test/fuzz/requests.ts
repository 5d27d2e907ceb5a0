// Requests to an operation of the document: some valid, most with an error.

import fc from 'fast-check';
import { BOUNDARY, fingerprintOf, formBody, type Part } from '../../../../test/support/artifacts.js';
import type { DescribedOperation, JsonSchema } from './document.js';
import { credential, type Fixture } from './fixture.js';
import { changed, changes } from './mutations.js';
import type { Precondition } from './preconditions.js';
import { hostileText, nearlyValid, type Pool, validValue } from './values.js';
import { framings, type WireRequest } from './wire.js';

/** `isWellFramed`: its framing is correct, so there must be a response. */
export interface FuzzRequest extends WireRequest {
  readonly operationId: string;
  readonly isWellFramed: boolean;
}

interface Body {
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

type Headers = [string, string][];

const otherMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'BREW'];

const oddHeaders: [string, string][] = [
  ['accept', 'image/*'],
  ['accept', 'application/c2pa'],
  ['accept', 'text/html'],
  ['accept', ',;q=0,'.repeat(500)],
  ['content-encoding', 'gzip'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'text/plain'],
  ['content-type', 'multipart/form-data'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', ''],
  ['content-type', 'a'.repeat(5_000)],
  ['expect', '100-continue'],
  ['expect', 'a miracle'],
  ['host', 'attacker.example'],
  ['if-none-match', `*,${'"a",'.repeat(1_000)}`],
  ['range', 'bytes=0-0,1-1,2-2'],
  ['upgrade', 'h2c'],
  ['x-forwarded-host', 'attacker.example'],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', 'a"b\tc'],
  ['authorization', 'Bearer twice'],
  ['idempotency-key', '\xff\xfe'],
  ['idempotency-key', 'a'.repeat(256)],
  ['cookie', 'a=b; '.repeat(200)],
  ['x-large', 'a'.repeat(20_000)],
];

export function requestsTo(
  operation: DescribedOperation,
  fixture: Fixture,
  knownFiles: readonly Buffer[],
  precondition?: Precondition,
): fc.Arbitrary<FuzzRequest> {
  const { method, path, operationId } = operation;
  const pool = { ...fixture.pool, ...precondition?.pool };
  const files = precondition?.files ?? knownFiles;
  const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 12) =>
    fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
  return fc
    .record({
      method: mostly(fc.constant(method), fc.constantFrom(...otherMethods)),
      path: targetPath(path, operation, pool),
      query: queryOf(operation, pool),
      declared: declaredHeaders(operation, pool),
      credential: credential(fixture, precondition?.token),
      // In a body, the fingerprint is mostly a new one.
      body: bodyOf(operation, { ...pool, fingerprint: [] }, files),
      odd: mostly<Headers>(
        fc.constant([]),
        fc.array(fc.constantFrom(...oddHeaders), { minLength: 1, maxLength: 3 }),
        6,
      ),
      host: mostly<Headers>(
        fc.constant([['host', 'registry.example']]),
        fc.constantFrom<Headers>([], [['host', '']]),
        60,
      ),
      framing: mostly(fc.constantFrom('length', 'length', 'length', 'chunks'), fc.constantFrom(...framings)),
    })
    .map(({ method, path, query, declared, credential, body, odd, host, framing }) => {
      const hasType = body?.type !== undefined && !odd.some(([name]) => name === 'content-type');
      return {
        operationId,
        method,
        target: `${path}${query}`,
        headers: [
          ...host,
          ['connection', 'close'],
          ...(credential === undefined ? [] : [['authorization', credential] as [string, string]]),
          ...(hasType ? [['content-type', body.type ?? ''] as [string, string]] : []),
          ...declared,
          ...odd,
        ],
        body: body?.bytes,
        framing,
        isWellFramed: !body || framing === 'length' || framing === 'chunks',
      };
    });
}

/** For the request line, which allows no spaces and only ASCII. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(/[^!-~]/g, '');
}

const oddSegments = [
  '%',
  '%ff',
  '%00',
  '%2e%2e',
  '..',
  '.',
  '',
  '%c0%af',
  ';a=b',
  '%2f',
  '%5c..%5c',
  'a'.repeat(300),
  '//',
  '*',
];

function targetPath(path: string, { parameters = [] }: DescribedOperation, pool: Pool): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    if (!parameter) return fc.constant(segment);
    return fc.oneof(
      {
        weight: 8,
        arbitrary: validValue(parameter.schema, pool, parameter.name).map((value) => encode(String(value))),
      },
      { weight: 1, arbitrary: hostileText.map(encode) },
      { weight: 1, arbitrary: fc.constantFrom(...oddSegments) },
    );
  });
  const whole = fc.tuple(...segments).map((parts) => parts.join('/'));
  return fc.oneof(
    { weight: 30, arbitrary: whole },
    {
      weight: 1,
      arbitrary: fc
        .tuple(whole, fc.constantFrom('/', '/..', '%2f', ';', '#a', '/a'.repeat(4_500)))
        .map(([a, b]) => a + b),
    },
    { weight: 1, arbitrary: whole.map((text) => text.replaceAll('/', '//')) },
    { weight: 1, arbitrary: whole.map((text) => text.toUpperCase()) },
  );
}

function queryOf({ parameters = [] }: DescribedOperation, pool: Pool): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, required, schema }) => {
      const text = fc.oneof(
        // Long polls would take the time that they name.
        {
          weight: 6,
          arbitrary: name === 'wait' ? fc.constantFrom('0', '1') : validValue(schema, pool, name).map(String),
        },
        { weight: 1, arbitrary: hostileText },
      );
      const pair = text.map((value) => `${name}=${encode(value)}`);
      const others = [
        { weight: 1, arbitrary: fc.tuple(pair, pair).map((both) => both.join('&')) },
        { weight: 1, arbitrary: fc.constantFrom(`${name}`, `${name}[]=1`, `${name}[a]=1`, `${name}=%ff`, `${name}=%`) },
        { weight: required ? 1 : 4, arbitrary: fc.constant('') },
      ];
      return fc.oneof({ weight: 8, arbitrary: pair }, ...others);
    });
  const extra = fc.oneof(
    { weight: 30, arbitrary: fc.constant('') },
    fc.constantFrom('__proto__=1', 'constructor=1&toString=2', '&&&=', `a=${'b'.repeat(9_000)}`),
  );
  return fc.tuple(...pairs, extra).map((list) => {
    const text = list.filter((one) => one !== '').join('&');
    return text === '' ? '' : `?${text}`;
  });
}

function declaredHeaders({ parameters = [] }: DescribedOperation, pool: Pool): fc.Arbitrary<Headers> {
  const headers = parameters
    .filter((one) => one.in === 'header')
    .map(({ name, schema }) =>
      fc.option(validValue(schema, pool, name), { freq: 2 }).map(
        (value): Headers =>
          value === null
            ? []
            : [
                [
                  name,
                  String(value)
                    .replace(/[^ -~]/g, '_')
                    .trim(),
                ],
              ],
      ),
    );
  return fc.tuple(...headers).map((list) => list.flat());
}

function bodyOf(
  { requestBody }: DescribedOperation,
  pool: Pool,
  files: readonly Buffer[],
): fc.Arbitrary<Body | undefined> {
  const unexpected = fc.oneof(jsonBody(nearlyValid(fc.constant({}))), fc.constant(undefined));
  if (!requestBody)
    return fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: unexpected });
  const bodies = Object.entries(requestBody.content).map(([type, { schema, 'x-itemSchema': line }]) => {
    if (type === 'application/json') return jsonBodies(schema, pool);
    if (type === 'multipart/form-data') return formBodies(schema, pool, files);
    if (line) return lineBodies(type, jsonBodies(line, pool));
    return fileOf(files).map((bytes) => ({ type: 'application/octet-stream', bytes }));
  });
  return fc.oneof({ weight: 20, arbitrary: fc.oneof(...bodies) }, { weight: 1, arbitrary: unexpected });
}

function jsonBody(value: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  return value.map((one) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(one) ?? '') }));
}

function jsonBodies(schema: JsonSchema, pool: Pool): fc.Arbitrary<Body> {
  const valid = validValue(schema, pool);
  return fc.oneof(
    // Unlike most changed ones, these get past the parser.
    { weight: 10, arbitrary: jsonBody(valid) },
    { weight: 5, arbitrary: jsonBody(nearlyValid(valid)) },
    { weight: 2, arbitrary: jsonBody(valid).chain(spoilt) },
  );
}

function lineBodies(type: string, lines: fc.Arbitrary<Body>): fc.Arbitrary<Body> {
  return fc
    .tuple(fc.array(lines, { maxLength: 5 }), fc.constantFrom('\n', '\r\n', '\n\n', '\r'))
    .map(([bodies, end]) => ({ type, bytes: Buffer.concat(bodies.flatMap(({ bytes }) => [bytes, Buffer.from(end)])) }));
}

/** Invalid or ambiguous JSON. */
function spoilt({ type, bytes }: Body): fc.Arbitrary<Body> {
  const text = bytes.toString();
  const versions = [
    text.slice(0, -1),
    `${text}${text}`,
    `\ufeff${text}`,
    `[${text}]`,
    text.replace('{', '{"a":1,"a":2,'),
    text.replace('{', '{"__proto__":{"admin":true},'),
    text.replace('{', '{"\\u005f_proto__":1,'),
    text.replace(/"[^"]*"$|:"[^"]*"/, ':"\\ud800"'),
    text.replace(/:("[^"]*"|\d+)/, ':1e999'),
    text.replace(/"/g, "'"),
    `${'['.repeat(50_000)}`,
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    '',
    'null',
    '"',
    ' '.repeat(100_000),
    JSON.stringify('a'.repeat(1_100_000)),
  ].map((version) => Buffer.from(version));
  const others = [
    Buffer.from(text, 'utf16le'),
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([0xff, 0xfe, 0x7d])]),
  ];
  return fc.oneof(
    fc.constantFrom(...versions, ...others).map((changedBytes) => ({ type, bytes: changedBytes })),
    changes.map((list) => ({ type, bytes: changed(bytes, list) })),
  );
}

function fileOf(files: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...files) },
    fc.tuple(fc.constantFrom(...files), changes).map(([file, list]) => changed(file, list)),
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  );
}

const oddNames = ['', '"', 'a"b', '../../a', '\r\nx: y', '\xff', 'a\0b', 'é', 'a'.repeat(2_000), '%00', '<img>', ';'];

function formBodies(schema: JsonSchema, pool: Pool, files: readonly Buffer[]): fc.Arbitrary<Body> {
  const { file: _, ...fields } = schema.properties ?? {};
  const valid = validValue({ ...schema, type: 'object', properties: fields }, pool);
  const filename = fc.oneof(fc.constant('a.png'), fc.constantFrom(...oddNames)).map((name) => `filename="${name}"`);
  const type = fc.constantFrom('image/png', 'application/octet-stream', 'text/plain', '', 'a\tb', 'a'.repeat(400));
  const filePart = fc
    .record({ content: fileOf(files), filename, type })
    .map((part): Part => ({ name: 'file', ...part }));
  const form = fc
    .record({
      fields: fc.oneof({ weight: 3, arbitrary: valid }, nearlyValid(valid)),
      parts: fc.oneof({ weight: 4, arbitrary: filePart.map((part) => [part]) }, fc.array(filePart, { maxLength: 2 })),
    })
    // A file is accepted only with its own fingerprint.
    .map(({ fields: values, parts }) => formBody([...partsOf(values, parts[0]), ...parts]));
  const contentType = fc.oneof(
    { weight: 10, arbitrary: fc.constant(`multipart/form-data; boundary=${BOUNDARY}`) },
    fc.constantFrom(
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary="${BOUNDARY}`,
      `multipart/form-data; boundary=${'a'.repeat(500)}`,
      `multipart/mixed; boundary=${BOUNDARY}`,
    ),
  );
  const bytes = fc.oneof(
    { weight: 5, arbitrary: form },
    { weight: 2, arbitrary: fc.tuple(form, changes).map(([whole, list]) => changed(whole, list)) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileForms()) },
  );
  return fc.record({ type: contentType, bytes });
}

function partsOf(values: unknown, file: Part | undefined): Part[] {
  if (typeof values !== 'object' || values === null) return [];
  const fields = {
    ...values,
    ...('fingerprint' in values && file && { fingerprint: fingerprintOf(Buffer.from(file.content)) }),
  };
  // A line break in a name would start another header.
  return Object.entries(fields).map(([name, value]) => ({
    name: name.replace(/[\r\n"]/g, '_'),
    content: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}

/** Forms that are expensive to parse. */
export function hostileForms(): Buffer[] {
  const field = (name: string, content = 'a') => ({ name, content });
  const nestedForm = formBody([{ ...field('a'), content: formBody([field('b')]) }]);
  const manyHeaders = Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`).join('\r\n');
  return [
    formBody(Array.from({ length: 300 }, (_, index) => field(`field${index}`))),
    formBody([field('a'.repeat(100_000))]),
    formBody([field('a', 'b'.repeat(100_000))]),
    formBody([field('a'), field('a')]),
    formBody([field('__proto__'), field('constructor')]),
    nestedForm,
    formBody([]),
    nestedForm.subarray(0, -10),
    Buffer.from(`--${BOUNDARY}`),
    Buffer.from(`--${BOUNDARY}\r\n`.repeat(2_000)),
    Buffer.from(`--${BOUNDARY}--\r\n--${BOUNDARY}\r\n`),
    Buffer.from(`--${BOUNDARY}\r\n${manyHeaders}\r\n\r\na\r\n--${BOUNDARY}--\r\n`),
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: ${'a'.repeat(100_000)}\r\n\r\na\r\n--${BOUNDARY}--\r\n`),
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"; filename*=utf-8''%ff%00\r\n\r\na\r\n--${BOUNDARY}--\r\n`,
    ),
    Buffer.from(`\r\n--${BOUNDARY}`.repeat(5_000)),
    Buffer.from('\r'.repeat(50_000)),
    Buffer.from(`--${BOUNDARY.slice(0, -1)}`.repeat(3_000)),
  ];
}
