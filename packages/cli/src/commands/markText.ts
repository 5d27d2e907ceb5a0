// The text about Marks: what tells one from others with a similar name is shown wherever a name is.

import type { GalleryMark, Mark } from '@provenance-registry/core';
import { formatFields, formatList, type Text, text } from '../text.js';

export async function formatMarkList(marks: readonly GalleryMark[]): Promise<Text | undefined> {
  // Here and below member by member: a bundler keeps all of the vocabulary for an import of the whole module.
  const { describeIdentity } = await import('@provenance-registry/core');
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
  const { NO_VERIFIED_IDENTITY, aiUseNames, aiUses, describeNamesakes, formatAiPreference } = await import(
    '@provenance-registry/core'
  );
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
  const { describeNamesakes } = await import('@provenance-registry/core');
  const words = describeNamesakes(mark);
  return words && `${words} 'provenance mark namesakes' lists them; a verified domain tells yours from them.`;
}

function ownerName({ owner, organization }: GalleryMark): string {
  return owner?.name ?? organization?.name ?? '';
}
