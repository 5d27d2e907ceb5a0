// Commands that list what the service returns page by page.

import type { RegistryClient } from '@provenance-registry/client';
import { type Command, defineCommand, type TypedCommand } from '../command.js';
import { connect, connectLoggedIn } from '../connect.js';
import { type Context, formatWarning } from '../context.js';
import { UsageError } from '../errors.js';
import { resolveNames } from '../names.js';
import type { Arguments, Options, ValuesOf } from '../options.js';
import type { Text } from '../text.js';

/** The service's limit. */
const MAX_PAGE_SIZE = 200;
/** As many as a terminal shows with a little scrolling. */
const DEFAULT_LIMIT = 50;

export const pageOptions = {
  limit: { kind: 'integer', label: 'COUNT', summary: `maximum number of results (default: ${DEFAULT_LIMIT})` },
  all: { kind: 'flag', summary: 'list all of them' },
} as const;

interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface PageValues {
  readonly limit: number | undefined;
  readonly all: boolean;
}

/** `field` is where a page has its items. */
type Page<Field extends string, T> = Readonly<Record<Field, readonly T[]>> & { readonly nextCursor: string | null };

interface ListCommand<A extends Arguments, O extends Options, Field extends string, T>
  extends Omit<TypedCommand<A, O>, 'run'> {
  /** Works without a login. */
  readonly isPublic?: true;
  readonly field: Field;
  fetchPage(client: RegistryClient, values: ValuesOf<A, O>, page: PageRequest): Promise<Page<Field, T>>;
  /** Returns the number of all items, if the service knows it. Called when the list is cut. */
  countAll?(client: RegistryClient, values: ValuesOf<A, O>): Promise<number | undefined>;
  format(items: T[]): Text | undefined | Promise<Text | undefined>;
}

export function defineListCommand<
  const A extends Arguments,
  const O extends Options & typeof pageOptions,
  Field extends string,
  T,
>(definition: ListCommand<A, O, Field, T>): Command {
  const { isPublic, field, fetchPage, countAll, format, ...declaration } = definition;
  return defineCommand<A, O>({
    ...declaration,
    async run(context, given) {
      const client = await (isPublic ? connect(context) : connectLoggedIn(context));
      const values = await resolveNames(client, { ...declaration.arguments, ...declaration.options }, given);
      const list = await collectPages(field, values, (page) => fetchPage(client, values, page));
      context.printResult(list.items, context.isForPeople ? await format(list.items) : undefined);
      if (list.isCut) noteCut(context, list.items.length, await countAll?.(client, values));
    },
  });
}

/** Collects the pages of a list, up to the limit. `isCut`: there are more. */
export async function collectPages<Field extends string, T>(
  field: Field,
  { limit, all }: PageValues,
  fetchPage: (page: PageRequest) => Promise<Page<Field, T>>,
): Promise<{ items: T[]; isCut: boolean }> {
  if (all && limit !== undefined) throw new UsageError('--all and --limit cannot be combined.');
  const maxCount = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  const items: T[] = [];
  let cursor: string | null | undefined;
  while (items.length < maxCount && cursor !== null) {
    const page = await fetchPage({ limit: Math.min(maxCount - items.length, MAX_PAGE_SIZE), cursor });
    items.push(...page[field]);
    cursor = page.nextCursor;
  }
  return { items, isCut: typeof cursor === 'string' };
}

/** Says on stderr that a list has more items, also with `--json`. */
export function noteCut(context: Context, shown: number, total?: number): void {
  const amount =
    total !== undefined && total > shown ? `${shown} of ${total.toLocaleString('en-US')}` : `The first ${shown}`;
  context.printNote(formatWarning(`${amount}. Use --all to list all of them, or --limit COUNT.`));
}
