// Searches recordings: those that share values with the searched one, by the database, are compared with it bit by bit.

import { setImmediate } from 'node:timers/promises';
import { createSoundMatcher, decodeChromaprint, extractSound } from '@provenance-registry/media';
import type { SoundHashRecords, SoundIndex, SoundMatch } from '../domain/ports/index.js';

/** Each takes about a quarter of a millisecond to compare. */
const MAX_CANDIDATES = 50;
/** Compared before other requests get their turn. */
const CANDIDATES_PER_TURN = 8;

export function createSoundIndex(records: SoundHashRecords): SoundIndex {
  return {
    isReadable: (chromaprint) => decodeChromaprint(chromaprint) !== undefined,
    async search(chromaprint, { exceptMarkId } = {}) {
      const items = decodeChromaprint(chromaprint);
      const values = items ? extractSound(items) : [];
      if (!items || values.length === 0) return [];
      const candidates = await records.findCandidates({ values, exceptMarkId, limit: MAX_CANDIDATES });
      const match = createSoundMatcher(items);
      const matches: SoundMatch[] = [];
      for (const [index, { chromaprint: text, ...artifact }] of candidates.entries()) {
        if (index > 0 && index % CANDIDATES_PER_TURN === 0) await setImmediate();
        const registered = decodeChromaprint(text);
        const comparison = registered && match(registered);
        if (comparison) matches.push({ ...artifact, ...comparison });
      }
      return matches;
    },
  };
}
