import { RegistryError } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import type { Divergence } from './divergence.js';
import { confirmedDivergences, readPages, retryWhileUnavailable } from './walk.js';

const delays = { recheckMs: 0, retryMs: 0 };
const strayFile = (file: string): Divergence => ({ code: 'file-stray', about: { file }, message: file });

it('reports only what the second check confirms, and the size of every batch', async () => {
  const checks = new Map<string, number>();
  const walk = {
    name: 'files',
    batches: async function* () {
      yield ['stays 1', 'fine', 'passes'];
      yield ['stays 2'];
    },
    check: async (names: readonly string[]) =>
      names.flatMap((name) => {
        const count = (checks.get(name) ?? 0) + 1;
        checks.set(name, count);
        const isWrong = name.startsWith('stays') || (name === 'passes' && count === 1);
        return isWrong ? [{ subject: name, divergence: strayFile(name) }] : [];
      }),
  };
  const batches: number[] = [];
  const reported = [];
  for await (const { message } of confirmedDivergences(walk, delays, (count) => batches.push(count))) {
    reported.push(message);
  }
  expect(reported).toEqual(['stays 1', 'stays 2']);
  expect(batches).toEqual([3, 1]);
  expect(checks.get('fine')).toBe(1);
});

it('starts each page after the last item of the previous one', async () => {
  const items = [1, 2, 3, 4, 5];
  const pages = [];
  for await (const page of readPages<number>(async (after = 0) => items.filter((item) => item > after).slice(0, 2))) {
    pages.push(page);
  }
  expect(pages).toEqual([[1, 2], [3, 4], [5]]);
});

it('retries what is unavailable for a moment, and nothing else', async () => {
  let calls = 0;
  const failing = (error: Error, times: number) => async () => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
  const unavailable = new RegistryError('UNAVAILABLE', 'unavailable');
  expect(await retryWhileUnavailable(failing(unavailable, 3), delays)).toBe(4);
  calls = 0;
  await expect(retryWhileUnavailable(failing(unavailable, 100), delays)).rejects.toThrow('unavailable');
  calls = 0;
  await expect(retryWhileUnavailable(failing(new TypeError('wrong'), 1), delays)).rejects.toThrow('wrong');
});
