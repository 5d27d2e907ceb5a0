// `mark lookalikes`: files of others that look or sound like those of a Mark.

import type { RegistryClient } from '@provenance-registry/client';
import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { searchOptions } from '../lookalikes/searchOptions.js';
import { findMarkId, markArgument } from '../names.js';
import { formatList, text } from '../text.js';

type MarkLookalike = Awaited<ReturnType<RegistryClient['listMarkLookalikes']>>['lookalikes'][number];

/** Artifacts that one page searches for. */
const PAGE_SIZE = 100;

export const markLookalikesCommand = defineCommand({
  name: 'lookalikes',
  summary: "list files of others that look like the Mark's",
  description:
    'Lists images and recordings that others registered and that resemble files of a Mark, for users who may register ' +
    'under it. Searches for all its files, the newest first. A look-alike is a hint, not a proof: it may be older than ' +
    'yours, by chance, or by right.',
  arguments: { markId: markArgument },
  options: { maxDistance: searchOptions.maxDistance },
  examples: { 'provenance mark lookalikes "$MARK_ID"': 'Who registered something like your files' },
  async run(context, { markId: given, maxDistance }) {
    const client = await connectLoggedIn(context);
    const markId = await findMarkId(client, given);
    const found = await collectLookalikes(context, (cursor) =>
      client.listMarkLookalikes({ markId, maxDistance, limit: PAGE_SIZE, cursor }),
    );
    const list = formatList(
      ['YOUR FILE', 'LOOKS', 'BITS', 'MARK', 'REGISTERED', 'THAN YOURS', 'FINGERPRINT'],
      found.map((item) => [
        item.artifact.filename ?? item.artifact.fingerprint,
        item.grade,
        item.distance,
        item.mark?.name ?? 'not shown',
        item.registeredAt,
        item.registeredAt < item.artifact.registeredAt ? 'older' : 'later',
        item.fingerprint,
      ]),
    );
    context.printResult(found, list ?? text`Nothing that others registered looks like the files of this Mark.`);
  },
});

/** Pages may be empty before the last one. */
async function collectLookalikes(
  context: Context,
  fetchPage: (cursor: string | undefined) => ReturnType<RegistryClient['listMarkLookalikes']>,
): Promise<MarkLookalike[]> {
  const progress = context.showProgress({ label: 'Searching', unit: 'files' });
  const found: MarkLookalike[] = [];
  try {
    for (let cursor: string | null | undefined, pages = 1; cursor !== null; pages += 1) {
      const { lookalikes, nextCursor } = await fetchPage(cursor);
      found.push(...lookalikes);
      cursor = nextCursor;
      progress.update({ done: pages * PAGE_SIZE, detail: `${found.length} look-alikes` });
    }
  } finally {
    progress.end();
  }
  return found;
}
