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
import { SelectField } from '../../ui/Field.js';
import { Choice, TextAreaField, type Validator } from '../../ui/Form.js';
import { acceptAny } from '../../validators.js';

/** What all uses have in common, as `allowAiTraining` says it. */
const commonValues = { unspecified: null, refused: false, granted: true } as const;
const BY_USE = 'byUse';

const choices = [
  { value: 'unspecified', label: 'Not specified', hint: 'No preference is stated.' },
  { value: 'refused', label: 'Not allowed', hint: 'No data mining, no AI inference, no AI training.' },
  { value: 'granted', label: 'Allowed', hint: 'Data mining, AI inference and AI training are allowed.' },
  { value: BY_USE, label: 'Different for each use', hint: 'Choose for each of the four uses, also with conditions.' },
] as const;

const useHints: Readonly<Record<AiUse, string>> = {
  data_mining: 'Extracting text or data to find patterns, trends and correlations.',
  ai_inference: 'Giving the file to an AI model as input, such as for a summary or a description.',
  ai_training: 'Training models that do not create content, such as those that classify or detect.',
  ai_generative_training: 'Training models that create content, such as text or images.',
};

const NOT_SPECIFIED = '';
const permissionOptions = [
  { id: NOT_SPECIFIED, name: 'Not specified' },
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
    if (text.trim() === '') return 'Enter the conditions.';
    if (countCharacters(text.trim()) > MAX_CONSTRAINT_LENGTH) return `Use at most ${MAX_CONSTRAINT_LENGTH} characters.`;
    return isPlainText(text) ? undefined : 'The text contains invisible characters.';
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
      <Choice name="aiPreference" legend="AI preference" defaultValue={choice} options={choices} onSelect={setChoice} />
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
        hint={useHints[use]}
        options={permissionOptions}
        defaultValue={initial}
        onSelect={setPermission}
      />
      {permission === 'constrained' && (
        <TextAreaField
          name={constraintName(use)}
          label={`Conditions: ${aiUseNames[use]}`}
          hint="Signed and shown with every file, such as how to get permission."
          defaultValue={preference?.constraint}
          isProse
        />
      )}
    </>
  );
}
