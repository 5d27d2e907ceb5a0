// The public gallery of Marks, through HTTP.

import { beforeAll, describe, expect, it } from 'vitest';
import { addMarkMember, createMark, createUser } from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, startService } from '../../../../test/support/service.js';

describe('the gallery', () => {
  let service: Service;
  const page = async (query: string) => {
    const { status, body } = await call(service, 'GET', `/api/v1/gallery/marks${query}`);
    return { status, body, names: body.marks?.map(({ name }: { name: string }) => name) };
  };

  beforeAll(async () => {
    service = await startService(await withoutChain());
    const user = await createUser(service, 'creator');
    for (let number = 1; number <= 7; number += 1) await createMark(service, user, { name: `Photo ${number}` });
    await createMark(service, user, { name: 'Hidden photo', visibility: 'private' });
    for (const name of ['100% wool', 'under_score', 'back\\slash', 'ÉTÉ']) await createMark(service, user, { name });
    const { id } = (await createMark(service, user, { name: 'With a member' })).body;
    expect((await addMarkMember(service, user, id, await createUser(service))).status).toBe(200);
  });

  it('shows public Marks, newest first, without a token, members or email addresses', async () => {
    const { status, names, body } = await page('');
    expect(status).toBe(200);
    expect(names).toEqual([
      'With a member',
      'ÉTÉ',
      'back\\slash',
      'under_score',
      '100% wool',
      ...[7, 6, 5, 4, 3, 2, 1].map((n) => `Photo ${n}`),
    ]);
    expect(body.nextCursor).toBeNull();
    expect(JSON.stringify(body)).not.toMatch(/@|members/);
  });

  it.each([
    ['photo', 7],
    ['PHOTO 3', 1],
    ['%', 1],
    ['_', 1],
    ['\\', 1],
    ['été', 1],
    ['hidden', 0],
    ["'; drop table marks; --", 0],
  ])('finds %j in %i Marks', async (query, count) => {
    expect((await page(`?query=${encodeURIComponent(query)}`)).names).toHaveLength(count);
  });

  it('returns each Mark on exactly one page, also while Marks are added', async () => {
    const listed: string[] = [];
    let cursor: string | null = null;
    const newcomer = await createUser(service);
    do {
      const { body, names } = await page(`?query=photo&limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      listed.push(...names);
      cursor = body.nextCursor;
      await createMark(service, newcomer, { name: 'Photo added meanwhile' });
    } while (cursor);
    expect(listed).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `Photo ${n}`));
  });

  it('continues after public Marks only', async () => {
    const owner = await createUser(service, 'creator');
    const hidden = (await createMark(service, owner, { visibility: 'private' })).body.id;
    for (const cursor of [hidden, owner.id, randomUUID()]) {
      expect(await page(`?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    }
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=x',
    'query=%00',
    `query=${'a'.repeat(121)}`,
  ])('refuses ?%s with 400', async (query) => {
    expect(await page(`?${query}`)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});
