// The OpenAPI document: valid, complete, and its example of every operation runs in a shell.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api, errorStatus, type Operation } from '@provenance-registry/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { type ExampleService, isJson, runExamples, startExampleService } from './exampleRuns.js';

/** More than the metrics of a service that many tests have shared. */
const METRICS_BYTES = 2 ** 26;
const run = promisify(execFile);

let service: ExampleService;
let document: string;

beforeAll(async () => {
  service = await startExampleService();
  document = await (await fetch(`${service.url}/api/openapi.json`)).text();
});

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and passes a linter with all recommended rules, examples included', async () => {
    expect(JSON.parse(document).openapi).toMatch(/^3\.1\./);
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-invalid-media-type-examples': 'error',
        'no-invalid-schema-examples': 'error',
        // The default URL is http://127.0.0.1.
        'no-server-example.com': 'off',
        // Health and metrics have no client errors.
        'operation-4xx-response': 'error',
      },
    });
    const problems = await lintFromString({ source: document, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has an example of the request and the response of every operation', () => {
    const { paths } = JSON.parse(document);
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      expect(described.operationId).toBe(operation.id);
      const { content } = described.responses[operation.success.status];
      for (const [mediaType, { example, schema }] of Object.entries<{ example?: unknown; schema: object }>(
        content ?? {},
      )) {
        const isFile = 'format' in schema && schema.format === 'binary';
        expect([operation.id, mediaType, example !== undefined]).toEqual([operation.id, mediaType, !isFile]);
      }
      if (operation.body) expect(described.requestBody.content['application/json'].example).toBeDefined();
      for (const { source } of described['x-codeSamples']) expect(source).toContain(service.url);
      expect(described['x-codeSamples']).toHaveLength(3);
    }
  });

  it('documents no path that the service does not serve', async () => {
    for (const operation of Object.values<Operation>(api)) {
      const path = operation.path.replace(/\{\w+\}/g, randomUUID());
      const { status, body } = await call(service, operation.method, path);
      expect([operation.id, status === 405 || /^Unknown route/.test(body.error)]).toEqual([operation.id, false]);
    }
  });

  it('describes files as other tools expect them, and the headers of each response', () => {
    const { paths } = JSON.parse(document);
    const form = paths['/api/v1/artifacts'].post.requestBody.content['multipart/form-data'].schema;
    expect(form.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    const { 200: found, 503: busy } = paths['/api/c2pa/manifests/{manifestId}'].get.responses;
    expect(found.content['application/c2pa'].schema).toMatchObject({ type: 'string', format: 'binary' });
    expect(Object.keys(found.headers)).toEqual(['X-Request-Id', 'Vary']);
    expect(Object.keys(busy.headers)).toEqual(['X-Request-Id', 'Vary', 'Retry-After']);
    const { 201: signed, 401: anonymous } = paths['/api/c2pa/manifests'].post.responses;
    expect(Object.keys(signed.content)).toEqual(['application/json', 'image/*']);
    expect(Object.keys(signed.headers)).toEqual(['X-Request-Id', 'Location', 'Vary', 'Link']);
    expect(Object.keys(anonymous.headers)).toEqual(['X-Request-Id', 'Vary', 'WWW-Authenticate']);
    expect(Object.keys(paths['/.well-known/provenance-registry'].get.responses[304].headers)).toContain('ETag');
  });

  it('has a closed set of error codes, and patterns that all languages can read', () => {
    const { components } = JSON.parse(document);
    expect(components.schemas.ErrorBody.properties.code).toEqual({ $ref: '#/components/schemas/ErrorCode' });
    expect(components.schemas.ErrorCode.enum).toEqual(Object.keys(errorStatus));
    const patterns = [...document.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
      String(JSON.parse(text)),
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      // Python, Go and Java share no escapes of Unicode, and Go has no look-around.
      expect(pattern).not.toMatch(/\\[pPu]|\(\?/);
    }
  });

  it('has one schema for each title, and says that requests have no other fields, except for the resolution API', () => {
    const texts = new Map<unknown, Set<string>>();
    for (const schema of listSchemas(
      Object.values<Operation>(api).map(({ exampleBody: _, ...operation }) => operation),
    )) {
      if ('title' in schema)
        texts.set(schema.title, (texts.get(schema.title) ?? new Set()).add(JSON.stringify(schema)));
    }
    expect(texts.size).toBeGreaterThan(30);
    expect([...texts].flatMap(([title, different]) => (different.size > 1 ? [title] : []))).toEqual([]);
    const { paths, components } = JSON.parse(document);
    for (const { path, method, body } of Object.values<Operation>(api)) {
      if (!body) continue;
      const { schema } = paths[path][method.toLowerCase()].requestBody.content['application/json'];
      expect([path, schema.additionalProperties]).toEqual([path, path.startsWith('/api/c2pa/') ? undefined : false]);
    }
    const { SentQueryHash, QueryHash, NewArtifact } = components.schemas;
    expect([SentQueryHash, QueryHash, NewArtifact].map((schema) => schema.additionalProperties)).toEqual([
      false,
      undefined,
      false,
    ]);
  });

  it('has only forms of schemas that generators for Go and Java read', () => {
    const wrong = listSchemas(JSON.parse(document)).filter(({ type, const: constant, items }) => {
      // oapi-codegen knows no list of types but with null; the Java generator no constant that is not an integer, and no
      // list of distinct texts of a closed set without a name.
      const isUnion = Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;
      return isUnion || (typeof constant === 'number' && type !== 'integer') || Array.isArray(items?.enum);
    });
    expect(wrong).toEqual([]);
  });
});

interface Schema {
  readonly title?: unknown;
  readonly type?: unknown;
  readonly const?: unknown;
  readonly items?: { readonly enum?: unknown };
}

/** Every object in the document that has a type, examples left out. */
function listSchemas(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => !/^(?:examples?|x-codeSamples)$/.test(name));
  const inner = members.flatMap(([, member]) => listSchemas(member));
  return 'type' in value ? [value, ...inner] : inner;
}

describe('every example', () => {
  it('of curl runs unchanged in a shell, with the documented response', async () => {
    await runExamples(service, 'shell', async (operation, source, env) => {
      const command = `${source} --silent --show-error --write-out '\\n%{http_code} %header{location}'`;
      // curl ends a stream of events after its time limit, which is an error for it.
      const { stdout } = await run('sh', ['-c', command], { env, maxBuffer: METRICS_BYTES }).catch((error) => {
        if (operation.id !== 'streamEvents') throw error;
        return error;
      });
      const [, text = '', status, location = ''] = /^([\s\S]*)\n(\d+) (\S*)$/.exec(stdout) ?? [];
      expect([operation.id, Number(status)]).toEqual([operation.id, operation.success.status]);
      if (operation.success.status === 201) {
        expect([operation.id, location]).toEqual([operation.id, expect.stringMatching(`^${service.url}/api/`)]);
        expect(location).not.toContain('undefined');
        // 404 if there were no such path.
        expect((await fetch(location, { method: 'PROPFIND' })).status).toBe(405);
      }
      return isJson(operation) ? JSON.parse(text) : text;
    });
  });
});
