// AI preferences: which automated uses of a file its registrant allows. The four uses and their values are those of the
// CAWG training and data mining assertion 1.1; mapped to IETF AIPREF and W3C TDMRep where they say the same.

import Type, { type Static } from 'typebox';
import { PlainText, StringEnum } from '../text/text.js';

export const aiUses = ['data_mining', 'ai_inference', 'ai_training', 'ai_generative_training'] as const;
export type AiUse = (typeof aiUses)[number];

export const aiPermissions = ['allowed', 'notAllowed', 'constrained'] as const;
export type AiPermission = (typeof aiPermissions)[number];

/** Default of a new Mark whose creator says nothing about AI, through the API or on the pages. */
export const DEFAULT_ALLOW_AI_TRAINING = true;

/** The conditions themselves, or where to find them, for people. Every Artifact carries up to four. */
export const MAX_CONSTRAINT_LENGTH = 500;

/** `constraint` is set if and only if `use` is `constrained`. */
export interface AiPreference {
  readonly use: AiPermission;
  readonly constraint?: string;
}

const Preference = (description: string) =>
  Type.Unsafe<AiPreference | null>({
    type: ['object', 'null'],
    required: ['use'],
    properties: {
      use: StringEnum(aiPermissions, {
        description: '`constrained`: not allowed, except as `constraint` says.',
      }),
      constraint: PlainText('The conditions; with `constrained` only, and required there.', MAX_CONSTRAINT_LENGTH),
    },
    description,
  });

/** Null: not specified. */
export const AiPreferences = Type.Object(
  {
    data_mining: Preference('Extracting text or data to find patterns, trends and correlations.'),
    ai_inference: Preference('Input to a trained model that infers a result.'),
    ai_training: Preference('Training models that do not generate content, such as classifiers.'),
    ai_generative_training: Preference('Training models that generate content.'),
  },
  {
    title: 'AiPreferences',
    description: 'What the registrant says about each use; null: not specified. A statement, not a license.',
  },
);
export type AiPreferences = Static<typeof AiPreferences>;

/** Some of the uses, in requests. */
export const SomeAiPreferences = Type.Partial(AiPreferences, { description: 'By use. `null`: not specified.' });
export type SomeAiPreferences = Static<typeof SomeAiPreferences>;

/** What is stored of a Mark or an Artifact; without explicit preferences, `allowAiTraining` says it for all uses. */
export interface StoredAiPreferences {
  readonly allowAiTraining: boolean | null;
  readonly aiPreferences?: AiPreferences | null | undefined;
}

/**
 * The preference for each of the four uses.
 * @example
 * ```ts
 * aiPreferencesOf({ allowAiTraining: false }).data_mining; // { use: 'notAllowed' }
 * ```
 */
export function aiPreferencesOf({ allowAiTraining, aiPreferences }: StoredAiPreferences): AiPreferences {
  return aiPreferences ?? fillAiPreferences(() => derivePreference(allowAiTraining));
}

function derivePreference(allowAiTraining: boolean | null): AiPreference | null {
  return allowAiTraining === null ? null : { use: allowAiTraining ? 'allowed' : 'notAllowed' };
}

export function fillAiPreferences(preferenceFor: (use: AiUse) => AiPreference | null): AiPreferences {
  return {
    data_mining: preferenceFor('data_mining'),
    ai_inference: preferenceFor('ai_inference'),
    ai_training: preferenceFor('ai_training'),
    ai_generative_training: preferenceFor('ai_generative_training'),
  };
}

/** The one value that covers both kinds of training: true only if both are allowed, false if one is not. */
export function allowAiTrainingOf({ ai_training, ai_generative_training }: AiPreferences): boolean | null {
  const uses = [ai_training?.use, ai_generative_training?.use];
  if (uses.some((use) => use !== undefined && use !== 'allowed')) return false;
  return uses.includes(undefined) ? null : true;
}

/** What has to be stored beside `allowAiTraining`: null if that says it for all uses. */
export function explicitAiPreferences(preferences: AiPreferences): AiPreferences | null {
  const derived = aiPreferencesOf({ allowAiTraining: allowAiTrainingOf(preferences) });
  return isSameAiPreferences(preferences, derived) ? null : preferences;
}

/** Replaces the named uses, and keeps the others. */
export function changeAiPreferences(preferences: AiPreferences, changes: SomeAiPreferences): AiPreferences {
  return fillAiPreferences((use) => {
    const changed = changes[use];
    return changed === undefined ? preferences[use] : changed && normalize(changed);
  });
}

function normalize({ use, constraint }: AiPreference): AiPreference {
  return constraint === undefined ? { use } : { use, constraint };
}

/** The uses whose constraint is missing, or present without being `constrained`. */
export function findMisplacedConstraints(preferences: SomeAiPreferences): AiUse[] {
  return aiUses.filter((use) => {
    const preference = preferences[use];
    return preference && (preference.use === 'constrained') !== (preference.constraint !== undefined);
  });
}

export function isSameAiPreferences(one: AiPreferences, other: AiPreferences): boolean {
  return aiUses.every((use) => one[use]?.use === other[use]?.use && one[use]?.constraint === other[use]?.constraint);
}

/** A use as one text: `allowed`, `notAllowed`, or `constrained` and the conditions. */
export function formatAiPreference({ use, constraint }: AiPreference): string {
  return constraint === undefined ? use : `${use}: ${constraint}`;
}

/**
 * The value of `Content-Usage`. AIPREF's `train-ai` is the training of models that generate content; the other uses
 * have no category there, and its `search` has none here. `constrained` is treated as not allowed, as CAWG demands.
 */
export function contentUsageOf({ ai_generative_training }: AiPreferences): string | undefined {
  return ai_generative_training ? `train-ai=${ai_generative_training.use === 'allowed' ? 'y' : 'n'}` : undefined;
}

/**
 * The value of `tdm-reservation`: 1 if data mining is reserved. Mining covers training for many readers: 0 only if both
 * kinds of training are allowed too. Undefined: neither can be said.
 */
export function tdmReservationOf(preferences: AiPreferences): 0 | 1 | undefined {
  const { data_mining } = preferences;
  if (!data_mining) return undefined;
  if (data_mining.use !== 'allowed') return 1;
  return allowAiTrainingOf(preferences) === true ? 0 : undefined;
}
