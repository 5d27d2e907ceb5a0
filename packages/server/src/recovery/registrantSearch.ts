// Finds who registered what the contract has logged. The log has hashes only, so every user, and everyone with write access to
// a Mark, is hashed and compared.

import type { Hex, RecoveryRecords, Registrants } from '../domain/ports/index.js';

const USERS_PER_PAGE = 1_000;
/** Each may have hundreds of writers. */
const MARKS_PER_PAGE = 100;

/** `markId` is set when the entry names a pseudonym, which belongs to one Mark. */
export interface Registrant {
  readonly userId: string;
  readonly markId: string | undefined;
}

interface SearchParts {
  readonly records: Pick<RecoveryRecords, 'listUserIds' | 'listMarkIds' | 'listWriters'>;
  readonly registrants: Registrants;
}

/** Those of the topics whose users the database has. `onPage` is called between pages. */
export async function findRegistrants(
  { records, registrants }: SearchParts,
  topics: ReadonlySet<Hex>,
  onPage: () => void,
): Promise<ReadonlyMap<Hex, Registrant>> {
  const found = new Map<Hex, Registrant>();
  const isComplete = () => found.size === topics.size;
  const compare = (topic: Hex, registrant: Registrant) => {
    if (topics.has(topic)) found.set(topic, registrant);
  };

  for (let after: string | undefined; !isComplete(); ) {
    const ids = await records.listUserIds(after, USERS_PER_PAGE);
    for (const userId of ids) compare(registrants.topicOf(userId, null), { userId, markId: undefined });
    after = ids.at(-1);
    if (after === undefined) break;
    onPage();
  }
  for (let after: string | undefined; !isComplete(); ) {
    const ids = await records.listMarkIds(after, MARKS_PER_PAGE);
    for (const { userId, markId } of await records.listWriters(ids)) {
      compare(registrants.topicOf(userId, markId), { userId, markId });
    }
    after = ids.at(-1);
    if (after === undefined) break;
    onPage();
  }
  return found;
}
