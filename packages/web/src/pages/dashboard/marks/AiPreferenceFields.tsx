// The AI preferences in the form of a Mark: one for all uses, or one for each.

import {
  type AiPermission,
  type AiPreference,
  type AiPreferences,
  type AiUse,
  aiPermissionNames,
  aiPermissions,
  aiPreferencesOf,
  aiUseNames,
  aiUses,
  countCharacters,
  fillAiPreferences,
  isPlainText,
  isSameAiPreferences,
  MAX_CONSTRAINT_LENGTH,
} from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { SelectField } from '../../../ui/form/Field.js';
import { Choice, TextAreaField, type Validator } from '../../../ui/form/Form.js';
import { acceptAny } from '../../../validators.js';

/** What all uses have in common, as `allowAiTraining` says it. */
const commonValues = { granted: true, refused: false, unspecified: null } as const;
const BY_USE = 'byUse';

const choices = (['granted', 'refused', 'unspecified', BY_USE] as const).map((value) => ({
  value,
  ...texts.aiChoices[value],
}));

const NOT_SPECIFIED = '';
const permissionOptions = [
  { id: NOT_SPECIFIED, name: texts.notSpecified },
  ...aiPermissions.map((id) => ({ id, name: aiPermissionNames[id] })),
];

type ConstraintName = `${AiUse}_constraint`;
const constraintName = (use: AiUse): ConstraintName => `${use}_constraint`;

export const aiPreferenceValidators = {
  aiPreference: acceptAny,
  data_mining: acceptAny,
  ai_inference: acceptAny,
  ai_training: acceptAny,
  ai_generative_training: acceptAny,
  data_mining_constraint: validateConstraint('data_mining'),
  ai_inference_constraint: validateConstraint('ai_inference'),
  ai_training_constraint: validateConstraint('ai_training'),
  ai_generative_training_constraint: validateConstraint('ai_generative_training'),
} satisfies Record<'aiPreference' | AiUse | ConstraintName, Validator>;

type FormValues = Readonly<Record<keyof typeof aiPreferenceValidators, string>>;

/** Only of uses that are constrained: the field of others is not shown. */
function validateConstraint(use: AiUse): Validator {
  return (text, values) => {
    if (values?.[use] !== 'constrained') return undefined;
    if (text.trim() === '') return texts.conditionsMissing;
    if (countCharacters(text.trim()) > MAX_CONSTRAINT_LENGTH) return texts.conditionsTooLong(MAX_CONSTRAINT_LENGTH);
    return isPlainText(text) ? undefined : texts.conditionsInvisible;
  };
}

export function parseAiPreferences(values: FormValues): AiPreferences {
  const common = Object.entries(commonValues).find(([name]) => name === values.aiPreference);
  if (common) return aiPreferencesOf({ allowAiTraining: common[1] });
  return fillAiPreferences((use) => {
    const permission = parsePermission(values[use]);
    if (permission === undefined) return null;
    const constraint = values[constraintName(use)].trim();
    return { use: permission, ...(permission === 'constrained' && { constraint }) };
  });
}

function parsePermission(text: string): AiPermission | undefined {
  return aiPermissions.find((permission) => permission === text);
}

function findChoice(preferences: AiPreferences): string {
  const common = Object.entries(commonValues).find(([, allowAiTraining]) =>
    isSameAiPreferences(preferences, aiPreferencesOf({ allowAiTraining })),
  );
  return common?.[0] ?? BY_USE;
}

export function AiPreferenceFields({ preferences }: { readonly preferences: AiPreferences }) {
  const [choice, setChoice] = useState(() => findChoice(preferences));
  return (
    <>
      <Choice
        name="aiPreference"
        legend={texts.aiLabel}
        hint={texts.aiHint}
        defaultValue={choice}
        options={choices}
        onSelect={setChoice}
      />
      {choice === BY_USE && aiUses.map((use) => <UseFields key={use} use={use} preference={preferences[use]} />)}
    </>
  );
}

function UseFields({ use, preference }: { readonly use: AiUse; readonly preference: AiPreference | null }) {
  const initial = preference?.use ?? NOT_SPECIFIED;
  const [permission, setPermission] = useState<string>(initial);
  return (
    <>
      <SelectField
        name={use}
        label={aiUseNames[use]}
        hint={texts.aiUseHints[use]}
        options={permissionOptions}
        defaultValue={initial}
        onSelect={setPermission}
      />
      {permission === 'constrained' && (
        <TextAreaField
          name={constraintName(use)}
          label={texts.conditionsOf(aiUseNames[use])}
          hint={texts.conditionsHint}
          defaultValue={preference?.constraint}
          isProse
        />
      )}
    </>
  );
}
