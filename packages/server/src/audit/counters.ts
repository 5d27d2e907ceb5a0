// Checks the counters of every user and organization against the rows that they count.

import type { AuditedCount } from '../domain/ports/index.js';
import type { AuditParts, Divergence } from './divergence.js';
import { readPages, type Walk } from './walk.js';

const PAGE_SIZE = 100;

export function counterWalk({ records }: AuditParts): Walk<string> {
  function counterDivergence({ ownerId, counter, counted, rows }: AuditedCount): Divergence {
    const message =
      counter === 'counters'
        ? 'has no counters'
        : counter === 'mark_counters'
          ? `${rows - counted} of its ${rows} Marks have a wrong number of Artifacts`
          : `${counter} is ${counted}, but there are ${rows}`;
    return {
      code: 'counter-differs',
      about: { ownerId, counter },
      message: `Owner ${ownerId}: ${message}`,
      repair: () => (counter === 'member_count' ? records.recountMembers(ownerId) : records.recount(ownerId)),
    };
  }

  return {
    name: 'owners',
    batches: () => readPages((after) => records.listOwnerIds(after, PAGE_SIZE)),
    async check(ownerIds) {
      const wrong = (await records.readCounts(ownerIds)).filter(({ counted, rows }) => counted !== rows);
      return wrong.map((count) => ({ subject: count.ownerId, divergence: counterDivergence(count) }));
    },
  };
}
