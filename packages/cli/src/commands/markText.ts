// The text about Marks: what tells one from others with a similar name is shown wherever a name is.

import type { GalleryMark, Mark } from '@provenance-registry/core';
import { formatFields, formatList, type Text, text } from '../text.js';

export const markArgument = { label: 'MARK', summary: 'Mark ID' } as const;

export async function formatMarkList(marks: readonly GalleryMark[]): Promise<Text | undefined> {
  const { describeIdentity } = await loadWords();
  return formatList(
    ['ID', 'NAME', 'IDENTITY', 'SINCE', 'ARTIFACTS', 'OWNER', 'LICENSE', 'VISIBILITY'],
    marks.map((item) => [
      item.id,
      item.name,
      describeIdentity(item),
      item.createdAt.slice(0, 'YYYY-MM-DD'.length),
      item.artifactCount,
      ownerName(item),
      item.licenseKey,
      item.visibility,
    ]),
  );
}

export async function formatMark(details: Mark): Promise<Text> {
  const { NO_VERIFIED_IDENTITY, aiUseNames, aiUses, describeNamesakes, formatAiPreference } = await loadWords();
  const domains = details.verifiedDomains.map(
    ({ domain, method, since }) => ['Domain', `${domain}, by ${methodNames[method]} since ${since}`] as const,
  );
  return formatFields([
    ['ID', details.id],
    ['Name', details.name],
    ...(domains.length > 0 ? domains : [['Identity', NO_VERIFIED_IDENTITY] as const]),
    ['Namesakes', describeNamesakes(details)],
    ['Artifacts', details.artifactCount],
    ['Represented by', details.representedBy && text`${details.representedBy.name} (${details.representedBy.id})`],
    ['Owner', ownerName(details)],
    ['Admin', details.admin.name],
    ['Status', details.isClosed ? 'closed: its owner closed the account' : null],
    ['Visibility', details.visibility],
    ['License', details.license.name],
    ['AI training', { true: 'allowed', false: 'forbidden', null: 'unspecified' }[`${details.allowAiTraining}`]],
    ...aiUses.map((use) => {
      const preference = details.aiPreferences[use];
      return [aiUseNames[use], preference ? formatAiPreference(preference) : 'unspecified'] as const;
    }),
    ...details.members.map(({ name, id }) => ['Member', text`${name} (${id})`] as const),
    ['Created', details.createdAt],
  ]);
}

export const methodNames = { dns: 'TXT record', file: 'file' } as const;

/** Undefined without namesakes. */
export async function warnOfNamesakes(mark: Pick<Mark, 'name' | 'namesakeCount'>): Promise<string | undefined> {
  const words = (await loadWords()).describeNamesakes(mark);
  return words && `${words} 'provenance marks namesakes' lists them; a verified domain tells yours from them.`;
}

/** Loaded on demand: the vocabulary would slow down every start. */
function loadWords() {
  return import('@provenance-registry/core');
}

function ownerName({ owner, organization }: GalleryMark): string {
  return owner?.name ?? organization?.name ?? '';
}
