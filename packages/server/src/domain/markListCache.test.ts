import type { Mark } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { createMarkListCache, MARK_LIST_MS } from './markListCache.js';

describe('a list of Marks', () => {
  const list = (name: string) => [{ name } as Mark];

  it('is asked for once in 60 seconds for each user', async () => {
    let now = 0;
    let asked = 0;
    const lists = createMarkListCache(() => new Date(now));
    const get = (user: string) =>
      lists.get(user, async () => {
        asked += 1;
        return list(`${user} ${asked}`);
      });
    expect(await get('ada')).toEqual(list('ada 1'));
    now = MARK_LIST_MS - 1;
    expect(await get('ada')).toEqual(list('ada 1'));
    expect(await get('bea')).toEqual(list('bea 2'));
    now = MARK_LIST_MS;
    expect(await get('ada')).toEqual(list('ada 3'));
    lists.forget('ada');
    expect(await get('ada')).toEqual(list('ada 4'));
  });

  it('whose answer was on its way while the user wrote is not remembered', async () => {
    const lists = createMarkListCache(() => new Date(0));
    let answer: (marks: Mark[]) => void = () => {};
    const early = lists.get('ada', () => new Promise((resolve) => (answer = resolve)));
    lists.forget('ada');
    answer(list('before the write'));
    expect(await early).toEqual(list('before the write'));
    expect(await lists.get('ada', async () => list('after the write'))).toEqual(list('after the write'));
  });

  it('that could not be had is asked for again', async () => {
    const lists = createMarkListCache(() => new Date(0));
    await expect(lists.get('ada', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await lists.get('ada', async () => list('back'))).toEqual(list('back'));
  });

  it('goes when ten thousand others came after it', async () => {
    const lists = createMarkListCache(() => new Date(0));
    let asked = 0;
    const get = (user: string) =>
      lists.get(user, async () => {
        asked += 1;
        return [];
      });
    for (let user = 0; user <= 10_000; user += 1) await get(String(user));
    asked = 0;
    await get('10000');
    expect(asked).toBe(0);
    await get('0');
    expect(asked).toBe(1);
  });
});
