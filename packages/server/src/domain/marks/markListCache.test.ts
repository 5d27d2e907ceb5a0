import type { Mark } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { createMarkListCache, MARK_LIST_TTL_MS } from './markListCache.js';

describe('a list of Marks', () => {
  const list = (name: string) => [{ name } as Mark];

  it('is loaded once in 60 seconds for each user', async () => {
    let now = 0;
    let loads = 0;
    const cache = createMarkListCache(
      () => new Date(now),
      async (user) => {
        loads += 1;
        return list(`${user} ${loads}`);
      },
    );
    expect(await cache.list('ada')).toEqual(list('ada 1'));
    now = MARK_LIST_TTL_MS - 1;
    expect(await cache.list('ada')).toEqual(list('ada 1'));
    expect(await cache.list('bea')).toEqual(list('bea 2'));
    now = MARK_LIST_TTL_MS;
    expect(await cache.list('ada')).toEqual(list('ada 3'));
    cache.invalidate('ada');
    expect(await cache.list('ada')).toEqual(list('ada 4'));
  });

  it('that was loading while the user wrote is not kept', async () => {
    const loads: ((marks: Mark[]) => void)[] = [];
    const cache = createMarkListCache(
      () => new Date(0),
      () => new Promise((resolve) => loads.push(resolve)),
    );
    const early = cache.list('ada');
    cache.invalidate('ada');
    loads[0]?.(list('before the write'));
    expect(await early).toEqual(list('before the write'));
    const late = cache.list('ada');
    loads[1]?.(list('after the write'));
    expect(await late).toEqual(list('after the write'));
  });

  it('that could not be loaded is loaded again', async () => {
    const results = [Promise.reject(new Error('unavailable')), Promise.resolve(list('back'))];
    const cache = createMarkListCache(
      () => new Date(0),
      () => results.shift() ?? Promise.reject(new Error('loaded too often')),
    );
    await expect(cache.list('ada')).rejects.toThrow('unavailable');
    expect(await cache.list('ada')).toEqual(list('back'));
  });

  it('is dropped after the lists of ten thousand other users', async () => {
    let loads = 0;
    const cache = createMarkListCache(
      () => new Date(0),
      async () => {
        loads += 1;
        return [];
      },
    );
    for (let user = 0; user <= 10_000; user += 1) await cache.list(String(user));
    loads = 0;
    await cache.list('10000');
    expect(loads).toBe(0);
    await cache.list('0');
    expect(loads).toBe(1);
  });
});
