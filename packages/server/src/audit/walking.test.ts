// Walking over what moves: what passes by itself is not told, what stays is, and a moment of absence is waited for.

import { RegistryError } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import type { Divergence } from './divergence.js';
import { divergencesOn, pages, persistently } from './walking.js';

const patience = { secondLookMs: 0, retryMs: 0 };
const about = (file: string): Divergence => ({ code: 'file-stray', about: { file }, message: file });

it('tells only what is there on the second look as well, and of every batch', async () => {
  const looks = new Map<string, number>();
  const walk = {
    what: 'files',
    batches: async function* () {
      yield ['stays 1', 'fine', 'passes'];
      yield ['stays 2'];
    },
    judge: async (names: readonly string[]) =>
      names.flatMap((name) => {
        const look = (looks.get(name) ?? 0) + 1;
        looks.set(name, look);
        const isWrong = name.startsWith('stays') || (name === 'passes' && look === 1);
        return isWrong ? [{ subject: name, divergence: about(name) }] : [];
      }),
  };
  const walked: number[] = [];
  const told = [];
  for await (const { message } of divergencesOn(walk, patience, (count) => walked.push(count))) told.push(message);
  expect(told).toEqual(['stays 1', 'stays 2']);
  expect(walked).toEqual([3, 1]);
  expect(looks.get('fine')).toBe(1);
});

it('pages begin after the last of the page before', async () => {
  const all = [1, 2, 3, 4, 5];
  const seen = [];
  for await (const page of pages<number>(async (after = 0) => all.filter((item) => item > after).slice(0, 2))) {
    seen.push(page);
  }
  expect(seen).toEqual([[1, 2], [3, 4], [5]]);
});

it('what is away for a moment is asked again; what is wrong is not', async () => {
  let calls = 0;
  const work = (error: Error, times: number) => async () => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
  expect(await persistently(work(new RegistryError('UNAVAILABLE', 'away'), 3), patience)).toBe(4);
  calls = 0;
  await expect(persistently(work(new RegistryError('UNAVAILABLE', 'away'), 100), patience)).rejects.toThrow('away');
  calls = 0;
  await expect(persistently(work(new TypeError('wrong'), 1), patience)).rejects.toThrow('wrong');
});
