// What a name or an ID on the command line means: Marks, organizations and what belongs to them.

import type { RegistryClient } from '@provenance-registry/client';
import type { Mark } from '@provenance-registry/core';
import { CommandError, UsageError } from './errors.js';
import type { ExitCode } from './exitCode.js';
import type { Argument, Option } from './options.js';

export const markArgument = { label: 'MARK', summary: 'name or ID of a Mark', names: 'mark' } as const;
export const markOption = {
  label: 'MARK',
  summary: 'name or ID of a Mark (default: from the profile, or your only Mark)',
} as const;
export const organizationArgument = {
  label: 'ORGANIZATION',
  summary: 'name or ID of an organization',
  names: 'organization',
} as const;

interface Named {
  readonly id: string;
  readonly name: string;
  /** What is listed in place of the name. */
  readonly label?: string;
}

/** The words for a list of candidates: `Marks`, as in `Your Marks: …`. */
type Plural = 'Marks' | 'organizations' | 'members' | 'API keys' | 'invitations' | 'Marks and organizations';

/** An ID is returned as it is; a name must be that of one candidate. Upper and lower case differ only if they have to. */
export async function findId(
  given: string,
  plural: Plural,
  listCandidates: () => Promise<readonly Named[]>,
  notFound: ExitCode = 1,
): Promise<string> {
  // Loaded on demand: importing the vocabulary at startup would slow down every command.
  const { isUuid } = await import('@provenance-registry/core');
  return isUuid(given) ? given.toLowerCase() : findByName(given, plural, await listCandidates(), notFound).id;
}

function findByName(given: string, plural: Plural, candidates: readonly Named[], notFound: ExitCode): Named {
  const exact = candidates.filter(({ name }) => name === given);
  const found = exact.length > 0 ? exact : candidates.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  const [only, another] = found;
  if (only && !another) return only;
  if (only) throw new UsageError(`Several ${plural} are named '${given}': ${listNames(found)}. Use an ID.`);
  const known = candidates.length === 0 ? 'There are none.' : `There are: ${listNames(candidates)}.`;
  throw new CommandError('NOT_FOUND', notFound, `None of your ${plural} is named '${given}'. ${known}`);
}

function listNames(candidates: readonly Named[]): string {
  return candidates.map(({ id, name, label = name }) => `${label} (${id})`).join(', ');
}

export function findMarkId(client: RegistryClient, given: string): Promise<string> {
  return findId(given, 'Marks', () => client.listMarks());
}

function findOrganizationId(client: RegistryClient, given: string): Promise<string> {
  return findId(given, 'organizations', () => client.listOrganizations());
}

const finders = { mark: findMarkId, organization: findOrganizationId };

/** Replaces names by IDs in the values of arguments and options that are declared to be names. */
export async function resolveNames<T extends object>(
  client: RegistryClient,
  declared: Readonly<Record<string, Argument | Option>>,
  values: T,
): Promise<T> {
  const resolved = { ...values };
  const entries: [string, unknown][] = Object.entries(values);
  for (const [name, value] of entries) {
    const kind = declared[name]?.names;
    if (kind && typeof value === 'string') Object.assign(resolved, { [name]: await finders[kind](client, value) });
  }
  return resolved;
}

/** The Mark to register under. `given` is from the command line or the profile; without it, the user's only Mark. */
export async function chooseMarkId(marks: readonly Mark[], given: string | undefined): Promise<string> {
  // Exit code 1 would say that files were refused.
  if (given !== undefined) return findId(given, 'Marks', async () => marks, 2);
  return requireOnly(marks, 'Mark', 'mark');
}

/** The organization that owns what a command is about: without a name, the user's only one. */
export async function chooseOrganizationId(client: RegistryClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return findOrganizationId(client, given);
  return requireOnly(await client.listOrganizations(), 'organization', 'org');
}

function requireOnly(candidates: readonly Named[], noun: string, option: string): string {
  const [only, another] = candidates;
  if (!only) throw new UsageError(`You have no ${noun} yet. Create one with 'provenance ${option} create NAME'.`);
  if (!another) return only.id;
  throw new UsageError(`You have several ${noun}s: choose one with --${option}: ${listNames(candidates)}.`);
}

/** A group that users are invited to. */
export interface InvitationTarget {
  readonly kind: 'organization' | 'mark';
  readonly id: string;
}

/** Finds the organization or Mark with a name or an ID; the service refuses the ID of none. */
export async function findInvitationTarget(client: RegistryClient, given: string): Promise<InvitationTarget> {
  const organizations = await client.listOrganizations();
  const isOrganization = (id: string) => organizations.some((organization) => organization.id === id);
  const id = await findId(given, 'Marks and organizations', async () => [
    ...organizations.map(({ id: one, name }) => ({ id: one, name, label: `organization ${name}` })),
    ...(await client.listMarks()).map(({ id: one, name }) => ({ id: one, name, label: `Mark ${name}` })),
  ]);
  return { kind: isOrganization(id) ? 'organization' : 'mark', id };
}
