// What is counted for each user and organization, against the rows that are counted.

import type { AuditedCount, AuditRecords } from '../domain/ports/index.js';
import type { Divergence } from './divergence.js';
import { pages, type Walk } from './walking.js';

const TOGETHER = 100;

export function counterWalk({ records }: { readonly records: AuditRecords }): Walk<string> {
  function fault({ ownerId, counter, counted, rows }: AuditedCount): Divergence {
    const isOfMembers = counter === 'member_count';
    const message =
      counter === 'counters' ? 'there are no counters' : `${counter} is ${counted}, and there are ${rows}`;
    return {
      code: 'counter-differs',
      about: { ownerId, counter },
      message: `Owner ${ownerId}: ${message}`,
      repair: () => (isOfMembers ? records.recountMembers(ownerId) : records.recount(ownerId)),
    };
  }

  return {
    what: 'owners',
    batches: () => pages((after) => records.ownerIds(after, TOGETHER)),
    async judge(ownerIds) {
      const wrong = (await records.counts(ownerIds)).filter(({ counted, rows }) => counted !== rows);
      return wrong.map((count) => ({ subject: count.ownerId, divergence: fault(count) }));
    },
  };
}
