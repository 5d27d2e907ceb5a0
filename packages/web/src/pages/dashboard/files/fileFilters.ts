// The filters of "My files": in the address, so that a reload and the back button keep them, and as the API takes them.

import type { RegistryClient } from '@provenance-registry/client';
import { isUuid } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';

export const FILES_PATH = '/dashboard/files';
/** The limit of the API. */
export const MAX_NAME_LENGTH = 255;

const names = ['name', 'mark', 'status', 'kind', 'from', 'to', 'sort'] as const;
/** Each is empty when it is not set. Days are `YYYY-MM-DD` in the zone of the user. */
export type FileFilters = Readonly<Record<(typeof names)[number], string>>;

export const noFilters: FileFilters = { name: '', mark: '', status: '', kind: '', from: '', to: '', sort: '' };

/** What is not valid counts as not set. */
export function parseFilters(search: URLSearchParams): FileFilters {
  const read = (name: keyof FileFilters) => search.get(name) ?? '';
  const oneOf = (name: keyof FileFilters, options: readonly { readonly id: string }[]) =>
    options.find(({ id }) => id === read(name))?.id ?? '';
  const sort = oneOf('sort', texts.sorts);
  return {
    name: read('name').slice(0, MAX_NAME_LENGTH),
    mark: isUuid(read('mark')) ? read('mark') : '',
    status: oneOf('status', texts.statuses),
    kind: oneOf('kind', texts.kinds),
    from: startOfDay(read('from')) ? read('from') : '',
    to: startOfDay(read('to')) ? read('to') : '',
    sort: sort === texts.sorts[0].id ? '' : sort,
  };
}

export function toAddress(filters: FileFilters): string {
  const set = names.flatMap((name) => (filters[name] === '' ? [] : [[name, filters[name]]]));
  return set.length === 0 ? FILES_PATH : `${FILES_PATH}?${new URLSearchParams(set)}`;
}

/** Whether files may be hidden; the order hides none. */
export function isFiltered(filters: FileFilters): boolean {
  return names.some((name) => name !== 'sort' && filters[name] !== '');
}

type ListQuery = NonNullable<Parameters<RegistryClient['listOwnArtifacts']>[0]>;

export function toQuery({ name, mark, status, kind, from, to, sort }: FileFilters): ListQuery {
  return {
    name: name.trim() || undefined,
    markId: mark || undefined,
    status: texts.statuses.map(({ id }) => id).find((id) => id !== '' && id === status) || undefined,
    kind: texts.kinds.map(({ id }) => id).find((id) => id !== '' && id === kind) || undefined,
    from: startOfDay(from)?.toISOString(),
    // The whole last day is included.
    to: startOfDay(to, 1)?.toISOString(),
    sort: texts.sorts.map(({ id }) => id).find((id) => id === sort),
  };
}

/** Undefined when the text is not a day. */
function startOfDay(text: string, daysLater = 0): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day) + daysLater);
  const isReal = daysLater > 0 || date.getDate() === Number(day);
  return isReal && date.getFullYear() >= 1970 ? date : undefined;
}
