// The Mark that a command registers files under.

import { isUuid, type Mark } from '@provenance-registry/core';
import { UsageError } from './errors.js';

export const markOption = {
  label: 'MARK',
  summary: 'Mark ID (default: from the profile, or your only Mark)',
} as const;

/** `given` is from the command line or the profile. */
export function chooseMarkId(marks: readonly Mark[], given: string | undefined, command: string): string {
  if (given !== undefined && isUuid(given)) return given.toLowerCase();
  const [firstMark] = marks;
  if (given === undefined && firstMark && marks.length === 1) return firstMark.id;
  const problem = given === undefined ? 'Specify a Mark with --mark.' : `'${given}' is not a Mark ID.`;
  const list = marks.map(({ id, name }) => `${id} (${name})`).join(', ');
  const choices = list
    ? `Your Marks: ${list}.`
    : "You have no Marks yet. Create one with 'provenance marks create NAME'.";
  throw new UsageError(`${problem} ${choices}`, [command]);
}
