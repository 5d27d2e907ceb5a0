// The OpenAPI document: valid, complete, and every example in it runs.

import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { api, errorStatus, type Operation } from '@provenance-registry/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { generateSource } from 'oazapfts';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { call, type Service, startService, temporaryFolder } from '../../../../test/support/service.js';
import { createPreparations, variables } from './exampleCases.js';
import { startExampleRunner } from './exampleRunners.js';

const run = promisify(execFile);
const OPERATOR_TOKEN = 'operator-of-this-test';

type Language = 'shell' | 'typescript' | 'python';

/** Examples register the same fingerprint and address in every language, so each language has a service of its own. */
let services: Readonly<Record<Language, Service>>;
let service: Service;
let mailServer: MailServer;
let document: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  const settings = { OPERATOR_TOKEN, ...mailServer.settings, DOWNLOADS_SECONDS: '1' };
  const [shell, typescript, python] = await Promise.all([
    startService(settings),
    startService(settings),
    startService(settings),
  ]);
  services = { shell, typescript, python };
  service = shell;
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
      const path = operation.path.replace(/\{\w+\}/g, crypto.randomUUID());
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
});

describe('a client that oazapfts generates from it', () => {
  it('compiles, registers files in both ways, finds them and reads a manifest', async () => {
    const folder = await compilePrograms();
    const { stdout } = await run(process.execPath, ['roundTrip.mjs', service.url], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      isStated: true,
      isUploaded: true,
      metadata: expect.objectContaining({ filename: 'b.bin', size: 1000, lastModified: '2026-06-01T00:00:00.000Z' }),
      isFound: true,
      manifestType: 'application/c2pa',
      manifestStart: 'jumb',
      refusal: ['BAD_REQUEST', ['/fingerprint', '/filename']],
    });
  });
});

describe('every example', () => {
  it('of curl runs unchanged in a shell, with the documented response', async () => {
    await runExamples('shell', async (operation, source, env) => {
      const command = `${source} --silent --show-error --write-out '\\n%{http_code} %header{location}'`;
      // curl ends a stream of events after its time limit, which is an error for it.
      const { stdout } = await run('sh', ['-c', command], { env }).catch((error) => {
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

  it('of TypeScript compiles in strict mode and runs with the SDK', async () => {
    const folder = await compilePrograms();
    const runner = startExampleRunner('typescript');
    await runExamples('typescript', async ({ id, success }, _, env) => {
      const [printed] = await runner.run(join(folder, `${id}.mjs`), env);
      expect([id, printed !== undefined]).toEqual([id, success.schema !== undefined]);
      return printed;
    });
    await runner.end();
  });

  it('of Python runs with the standard library', async () => {
    const runner = startExampleRunner('python');
    await runExamples('python', async ({ id, success }, source, env) => {
      const [printed] = await runner.run(source, env);
      expect([id, printed]).toEqual([id, success.schema ? expect.anything() : success.status]);
      return printed;
    });
    await runner.end();
  });
});

/** Runs the example of each operation in order, as one user would, and checks the JSON that it gets. */
async function runExamples(
  language: Language,
  runExample: (operation: Operation, source: string, env: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  const sources = await readSamples(language);
  const preparations = createPreparations(services[language], mailServer);
  const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', OPERATOR_TOKEN };
  for (const operation of Object.values<Operation>(api)) {
    const env = { ...shell, ...(await preparations[operation.id]?.(shell)) };
    const result = await runExample(operation, sources.get(operation.id) ?? '', env).catch((cause: Error) => {
      throw new Error(`${operation.id}: ${cause.message}`, { cause });
    });
    if (!operation.success.schema || !isJson(operation)) continue;
    expect([operation.id, Value.Errors(operation.success.schema, result)]).toEqual([operation.id, []]);
    // The schema has just been checked.
    Object.assign(shell, variables[operation.id]?.(result as Parameters<(typeof variables)[string]>[0]));
  }
}

function isJson({ success }: Operation): boolean {
  return success.schema !== undefined && success.mediaType === undefined;
}

/** By operation. They name the URL of the service that runs them. */
async function readSamples(language: Language): Promise<Map<string, string>> {
  const { paths } = (await call(services[language], 'GET', '/api/openapi.json')).body;
  return new Map(
    Object.values<Operation>(api).map(({ id, path, method }) => {
      const samples: { lang: string; source: string }[] = paths[path][method.toLowerCase()]['x-codeSamples'];
      return [id, samples.find(({ lang }) => lang === language)?.source ?? ''];
    }),
  );
}

let compiled: Promise<string> | undefined;

/** Compiles the generated client and all examples at once, and returns the folder that contains them. */
function compilePrograms(): Promise<string> {
  compiled ??= (async () => {
    const folder = await temporaryFolder();
    const repository = new URL('../../../../', import.meta.url).pathname;
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'openapi.json'), document);
    await writeFile(join(folder, 'client.ts'), await generateSource(join(folder, 'openapi.json')));
    await copyFile(new URL('../generated/roundTrip.mts', import.meta.url), join(folder, 'roundTrip.mts'));
    const examples = await readSamples('typescript');
    for (const [id, source] of examples) await writeFile(join(folder, `${id}.mts`), source);
    const compiler = [join(repository, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext'];
    const files = ['roundTrip.mts', ...[...examples.keys()].map((id) => `${id}.mts`)];
    await run(process.execPath, [...compiler, '--target', 'es2022', '--types', 'node', ...files], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)));
    return folder;
  })();
  return compiled;
}
