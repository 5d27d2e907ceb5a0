// The benchmarks of all operations have an input for each, derived from its declaration. The limits of its body allow it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api, exampleIds, jsonLimitsOf, type Operation } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { dearestInputs, type Fixture } from '../bench/dearestInputs.mjs';
import { JsonScanner } from '../packages/server/src/http/parsing/jsonScanner.js';
import { temporaryFolder } from './support/service.js';

const operations = Object.values<Operation>(api);
let fixture: Fixture;

beforeAll(async () => {
  const photo = join(await temporaryFolder(), 'photo.jpg');
  await writeFile(photo, 'a photo');
  const id = exampleIds.MARK_ID;
  const ids = Object.fromEntries(
    [
      'mark',
      'organization',
      'user',
      'key',
      'session',
      'webhook',
      'invitation',
      'claim',
      'representative',
      'manifest',
    ].map((name) => [`${name}Id`, id]),
  );
  const fingerprint = `0x${'ab'.repeat(32)}`;
  const others = { domain: 'a.example', prefix: 'abcd', alg: 'sha256', value: 'x', after: '0' };
  const user = { token: 'token', values: { ...ids, ...others, fingerprint, previousFingerprint: fingerprint } };
  fixture = {
    ...{ reader: user, writer: user, leavingToken: 'token', operatorToken: 'token' },
    ...{ photo, largePhoto: photo, smallPhoto: photo, signedPhoto: photo },
  };
});

describe('the dearest input', () => {
  it.each(operations.map(({ id }) => id))('of %s can be made, and fits into the limits of its body', (id) => {
    const inputs = Object.entries(dearestInputs).filter(([name]) => name.split(' ')[0] === id);
    expect(inputs.length).toBeGreaterThan(0);
    for (const [, create] of inputs) {
      const { path, headers, body } = create(fixture);
      expect(path).toMatch(/^\/[^{}]*$/);
      if (headers['content-type'] !== 'application/json') continue;
      const operation = operations.find((one) => one.id === id);
      const limits = jsonLimitsOf(operation ?? { path });
      const bytes = Buffer.concat(body);
      expect(bytes.length).toBeLessThanOrEqual(limits.maxBytes);
      expect(() => new JsonScanner(limits).add(bytes)).not.toThrow();
    }
  });
});
