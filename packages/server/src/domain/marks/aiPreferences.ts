// AI preferences of Marks: what a request makes of them.

import {
  type AiPreferences,
  aiPreferencesOf,
  allowAiTrainingOf,
  changeAiPreferences,
  explicitAiPreferences,
  findMisplacedConstraints,
  RegistryError,
  type SomeAiPreferences,
} from '@provenance-registry/core';
import { unexpectedValueError } from '../errors.js';
import type { MarkChanges } from '../ports/index.js';

export interface PreferenceRequest {
  readonly allowAiTraining?: boolean | null;
  readonly aiPreferences?: SomeAiPreferences;
}

/**
 * The preferences to store; empty when the request says nothing about them. `allowAiTraining` sets all uses, of which
 * `aiPreferences` may then change some; without it, uses that `aiPreferences` leaves out stay as they were before.
 */
export function resolvePreferences(
  { allowAiTraining, aiPreferences: changes }: PreferenceRequest,
  before: AiPreferences,
): Pick<MarkChanges, 'allowAiTraining' | 'aiPreferences'> {
  if (!changes) return allowAiTraining === undefined ? {} : { allowAiTraining, aiPreferences: null };
  requireConstraints(changes);
  const base = allowAiTraining === undefined ? before : aiPreferencesOf({ allowAiTraining });
  const preferences = changeAiPreferences(base, changes);
  const resulting = allowAiTrainingOf(preferences);
  if (allowAiTraining !== undefined && allowAiTraining !== resulting) {
    throw unexpectedValueError('allowAiTraining', `${resulting}, as "aiPreferences" say for the two kinds of training`);
  }
  return { allowAiTraining: resulting, aiPreferences: explicitAiPreferences(preferences) };
}

function requireConstraints(preferences: SomeAiPreferences): void {
  const problems = findMisplacedConstraints(preferences).map((use) => {
    const path = `/aiPreferences/${use}/constraint`;
    const message = `"${path.slice(1)}" must be present if "use" is constrained, and absent otherwise.`;
    return { path, message };
  });
  if (problems[0]) throw new RegistryError('BAD_REQUEST', problems[0].message, { problems });
}
