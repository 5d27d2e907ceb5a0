// The OpenAPI document: valid, complete, and every example in it runs.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api, type Operation } from '@provenance-registry/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';

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
  it('runs unchanged in a shell, with the documented response', async () => {
    const { paths } = JSON.parse(document);
    await signUp(service, { email: 'bea@example.com' });
    const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', OPERATOR_TOKEN };
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      const command = `${described['x-codeSamples'][0].source} --silent --show-error --write-out '\\n%{http_code}'`;
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: shell });
      const [, text = '', status] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? [];
      expect([operation.id, Number(status)]).toEqual([operation.id, operation.success.status]);
      if (!operation.success.schema || operation.success.mediaType) continue;
      const answer = JSON.parse(text);
      expect(Value.Errors(operation.success.schema, answer)).toEqual([]);
      const remembered = variables[operation.id];
      if (remembered) Object.assign(shell, remembered(answer));
    }
  });
});

/** Values that a user would copy from a response into the next examples. */
const variables: Record<
  string,
  (answer: { id: string; token: string; fingerprint: string; user: { id: string } }) => Record<string, string>
> = {
  signUp: ({ token, user }) => ({ TOKEN: token, USER_ID: user.id }),
  createOrganization: ({ id }) => ({ ORGANIZATION_ID: id }),
  addOrganizationMember: ({ id }) => ({ USER_ID: id }),
  createMark: ({ id }) => ({ MARK_ID: id }),
  createApiKey: ({ id }) => ({ KEY_ID: id }),
  createArtifact: ({ id, fingerprint }) => ({ MANIFEST_ID: id, FINGERPRINT: fingerprint }),
};
