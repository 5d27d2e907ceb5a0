// The OpenAPI document: valid, complete, and every example in it runs.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api, type Operation } from '@provenance-registry/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, type Service, startService } from './support/service.js';

const OPERATOR_TOKEN = 'operator-of-this-test';

let service: Service;
let document: string;

beforeAll(async () => {
  service = await startService({ OPERATOR_TOKEN });
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
        // The default address of the service is one on this machine, and plain.
        'no-server-example.com': 'off',
        // Health and metrics cannot be asked for in a wrong way.
        'operation-4xx-response': 'error',
      },
    });
    const problems = await lintFromString({ source: document, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('describes every operation with an example of its request and of its answer', () => {
    const { paths } = JSON.parse(document);
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      expect(described.operationId).toBe(operation.id);
      const [content] = Object.values<{ example: unknown }>(described.responses[operation.success.status].content);
      expect(content?.example).toBeDefined();
      if (operation.body) expect(described.requestBody.content['application/json'].example).toBeDefined();
      expect(described['x-codeSamples'][0].source).toContain(service.url);
    }
  });

  it('documents no path that the service does not serve', async () => {
    for (const operation of Object.values<Operation>(api)) {
      const path = operation.path.replace(/\{\w+\}/g, crypto.randomUUID());
      const { body } = await call(service, operation.method, path);
      expect(body.error ?? '').not.toMatch(/^There is no [A-Z]+ \//);
    }
  });
});

describe('every example', () => {
  it('runs in a shell as it stands, and answers what is documented', async () => {
    const { paths } = JSON.parse(document);
    const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', OPERATOR_TOKEN };
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      const { stdout } = await promisify(execFile)('sh', ['-c', described['x-codeSamples'][0].source], { env: shell });
      if (operation.success.mediaType) {
        expect(stdout.length).toBeGreaterThan(0);
        continue;
      }
      const answer = JSON.parse(stdout);
      expect(Object.keys(answer)).toEqual(expect.arrayContaining(Object.keys(Object(operation.success.example))));
      if (operation.id === 'signUp') Object.assign(shell, { TOKEN: answer.token, USER_ID: answer.user.id });
    }
  });
});
