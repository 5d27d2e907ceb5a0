// Published files in a bucket: names and headers, credentials, and failures of the store.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { openS3Store } from '../../src/files/s3.js';
import { defaultS3Limits } from '../../src/files/s3Bucket.js';
import { type Fault, type S3, startS3 } from '../support/s3.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const newName = (extension = 'json') => `${randomUUID()}.${extension}`;
const unavailable = expect.objectContaining({ code: 'UNAVAILABLE' });
/** With characters that need different kinds of escaping. */
const prefix = "some files/a+b!(c)*'d";

let s3: S3;
beforeAll(async () => {
  s3 = await startS3(await temporaryFolder());
});
afterAll(() => s3.stop());

describe('in a bucket', () => {
  const place = () => ({ bucket: s3.bucket, prefix });
  /** With short delays. */
  const quick = { ...defaultS3Limits, retryDelayMs: 1 };
  const impatient = { ...quick, attemptMs: 50, checkMs: 50 };
  const always = Number.POSITIVE_INFINITY;
  const reasonOf = (failure: Promise<void>) =>
    failure.then(
      () => 'no failure',
      (error: Error) => {
        expect(error).toEqual(unavailable);
        return String(error.cause);
      },
    );

  it.each([
    ['c2pa', 'application/c2pa'],
    ['json', 'application/json'],
    ['png', 'image/png'],
  ])('a .%s is served as %s with immutable caching', async (kind, type) => {
    const name = newName(kind);
    await openS3Store(place(), s3.environment).publish({ [name]: bytesOf('x') });
    const path = `${s3.bucket}/${encodeURI(prefix).replace('+', '%2B')}/${name}`;
    const answer = await fetch(`${s3.environment['AWS_ENDPOINT_URL']}/${path}`);
    expect([answer.status, await answer.text()]).toEqual([200, 'x']);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('without a prefix, files are at the top level', async () => {
    const name = newName();
    await openS3Store({ bucket: s3.bucket, prefix: '' }, s3.environment).publish({ [name]: bytesOf('{}') });
    expect((await fetch(`${s3.environment['AWS_ENDPOINT_URL']}/${s3.bucket}/${name}`)).status).toBe(200);
  });

  it.each<Fault>(['answers 503', 'breaks off', 'hangs'])(
    'a request is retried if the store %s a few times',
    async (fault) => {
      // A hang takes the whole time limit of an attempt, so there is only one.
      const hangs = fault === 'hangs';
      const store = openS3Store(place(), s3.environment, hangs ? { ...quick, attemptMs: 1_500 } : quick);
      const times = hangs ? 1 : defaultS3Limits.attempts - 1;
      const name = newName();
      s3.fail(fault, times);
      await store.publish({ [name]: bytesOf('{}') });
      s3.fail(fault, times);
      expect(Buffer.from((await store.read(name)) ?? []).toString()).toBe('{}');
      s3.fail(fault, times);
      await store.remove(name);
      expect(await store.read(name)).toBeUndefined();
    },
  );

  it.each<Fault>(['answers 503', 'breaks off', 'hangs'])('a store that always %s is UNAVAILABLE', async (fault) => {
    const store = openS3Store(place(), s3.environment, fault === 'hangs' ? impatient : quick);
    const name = newName();
    s3.fail(fault, always);
    const before = s3.requests();
    await expect(store.publish({ [name]: bytesOf('{}') })).rejects.toEqual(unavailable);
    expect(s3.requests() - before).toBeLessThanOrEqual(defaultS3Limits.attempts);
    await expect(store.read(name)).rejects.toEqual(unavailable);
    await expect(store.remove(name)).rejects.toEqual(unavailable);
    await expect(store.check()).rejects.toEqual(unavailable);
    s3.fail(fault, 0);
    expect(await openS3Store(place(), s3.environment).read(name)).toBeUndefined();
  });

  it('a publication with a rejected file does not end before the other uploads, so that they can be removed', async () => {
    const [refused, late] = [newName('json'), newName('c2pa')];
    let arrive = () => {};
    const server = createServer((request, response) => {
      request.resume();
      if (request.url?.endsWith(refused)) response.writeHead(403).end();
      else arrive = () => response.writeHead(200).end();
      if (++asked === 2) bothAsked();
    });
    let asked = 0;
    let bothAsked = () => {};
    const both = new Promise<void>((resolve) => {
      bothAsked = resolve;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const environment = { ...s3.environment, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
    const store = openS3Store(place(), environment, quick);
    let over = false;
    const publishing = reasonOf(store.publish({ [refused]: bytesOf('{}'), [late]: bytesOf('x') })).finally(() => {
      over = true;
    });
    await both;
    // After another round trip, the rejection has arrived.
    await fetch(`http://127.0.0.1:${port}/${refused}`);
    expect(over).toBe(false);
    arrive();
    expect(await publishing).toContain('403');
    server.close();
  });

  it('missing credentials, wrong ones and a missing bucket are reported differently and not retried', async () => {
    const { AWS_SECRET_ACCESS_KEY: _, ...withoutSecret } = s3.environment;
    const before = s3.requests();
    expect(await reasonOf(openS3Store(place(), withoutSecret).check())).toContain('AWS_SECRET_ACCESS_KEY');
    expect(s3.requests() - before).toBe(0);

    const wrongSecret = { ...s3.environment, AWS_SECRET_ACCESS_KEY: 'wrong' };
    expect(await reasonOf(openS3Store(place(), wrongSecret).check())).toMatch(/403 \(SignatureDoesNotMatch\)/);
    const unknownKey = { ...s3.environment, AWS_ACCESS_KEY_ID: 'nobody' };
    expect(await reasonOf(openS3Store(place(), unknownKey).check())).toMatch(/403 \(InvalidAccessKeyId\)/);

    const nowhere = openS3Store({ bucket: 'not-there', prefix }, s3.environment);
    expect(await reasonOf(nowhere.check())).toMatch(/"not-there".*404 \(NoSuchBucket\)/);
    await expect(nowhere.read(newName())).rejects.toEqual(unavailable);
    await expect(nowhere.remove(newName())).rejects.toEqual(unavailable);
    expect(s3.requests() - before).toBe(5);
  });

  it('read-only credentials are not sufficient', async () => {
    const store = openS3Store(place(), s3.environment);
    s3.fail('refuses writes', always);
    expect(await reasonOf(store.check())).toMatch(/403 \(AccessDenied\)/);
    expect(await reasonOf(store.publish({ [newName()]: bytesOf('{}') }))).toMatch(/403 \(AccessDenied\)/);
    s3.fail('refuses writes', 0);
    await store.check();
  });

  it('an invalid endpoint is reported at once', () => {
    expect(() => openS3Store(place(), { ...s3.environment, AWS_ENDPOINT_URL: 'minio:9000' })).toThrow(
      'AWS_ENDPOINT_URL',
    );
  });
});
