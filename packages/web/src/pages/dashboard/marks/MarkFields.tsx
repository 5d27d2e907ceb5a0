// The form of a Mark: name, visibility, license and AI preferences.

import {
  aiPreferencesOf,
  DEFAULT_ALLOW_AI_TRAINING,
  type LicenseKey,
  licenseKeys,
  licenses,
  type Mark,
  type Tier,
} from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { SelectField } from '../../../ui/form/Field.js';
import { Choice, TextField } from '../../../ui/form/Form.js';
import { acceptAny, validateName } from '../../../validators.js';
import { useAccount } from '../account.js';
import { UpgradeHint } from '../tierLimits.js';
import { AiPreferenceFields, aiPreferenceValidators, parseAiPreferences } from './AiPreferenceFields.js';
import { Namesakes } from './Namesakes.js';

const defaultPreferences = aiPreferencesOf({ allowAiTraining: DEFAULT_ALLOW_AI_TRAINING });

export const markValidators = {
  name: validateName,
  visibility: acceptAny,
  license: acceptAny,
  ...aiPreferenceValidators,
};

export type MarkFormValues = Readonly<Record<keyof typeof markValidators, string>>;

export function parseMarkForm({ name, visibility, license, ...preferences }: MarkFormValues) {
  return {
    name: name.trim(),
    visibility: visibility === 'private' ? ('private' as const) : ('public' as const),
    license: parseLicenseKey(license),
    aiPreferences: parseAiPreferences(preferences),
  };
}

function parseLicenseKey(value: string): LicenseKey {
  return licenseKeys.find((key) => key === value) ?? 'NONE_SPECIFIED';
}

interface MarkFieldsProps {
  readonly mark?: Mark | undefined;
  /** The tier of the owner, which limits the choices. */
  readonly tier: Tier;
}

export function MarkFields({ mark, tier }: MarkFieldsProps) {
  const { tiers } = useAccount();
  const [name, setName] = useState(mark?.name ?? '');
  const privateUnavailable = tiers.tiers[tier].privateMarks ? undefined : (
    <UpgradeHint feature="privateMarks" hasFeature={({ privateMarks }) => privateMarks} />
  );
  return (
    <>
      <TextField
        name="name"
        label={texts.nameLabel}
        hint={texts.nameHint}
        defaultValue={mark?.name}
        autoComplete="off"
        onType={setName}
      />
      <Namesakes name={name} ownId={mark?.id} />
      <Choice
        name="visibility"
        legend={texts.visibilityLabel}
        defaultValue={mark?.visibility ?? 'public'}
        options={[
          { value: 'public', label: texts.publicLabel, hint: texts.publicHint },
          {
            value: 'private',
            label: texts.privateLabel,
            hint: texts.privateHint,
            unavailable: mark?.visibility === 'private' ? undefined : privateUnavailable,
          },
        ]}
      />
      <LicenseField defaultKey={mark?.licenseKey ?? 'NONE_SPECIFIED'} />
      <AiPreferenceFields preferences={mark?.aiPreferences ?? defaultPreferences} />
    </>
  );
}

const licenseOptions = Object.keys(texts.licenseDescriptions)
  .map(parseLicenseKey)
  .map((id) => ({ id, name: licenses[id].name }));

function LicenseField({ defaultKey }: { readonly defaultKey: LicenseKey }) {
  const [selected, setSelected] = useState(defaultKey);
  return (
    <SelectField
      name="license"
      label={texts.licenseLabel}
      hint={texts.licenseDescriptions[selected]}
      options={licenseOptions}
      defaultValue={defaultKey}
      onSelect={(key) => setSelected(parseLicenseKey(key))}
    />
  );
}
