// The form of a Mark: name, visibility, license and AI preferences.

import {
  aiPreferencesOf,
  type LicenseKey,
  licenseKeys,
  licenses,
  type Mark,
  type Tier,
} from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { SelectField } from '../../ui/Field.js';
import { Choice, TextField } from '../../ui/Form.js';
import { acceptAny, validateName } from '../../validators.js';
import { AiPreferenceFields, aiPreferenceValidators, parseAiPreferences } from './AiPreferenceFields.js';
import { useAccount } from './account.js';
import { Namesakes } from './Namesakes.js';
import { UpgradeHint } from './tierLimits.js';

export const licenseDescriptions: Readonly<Record<LicenseKey, string>> = {
  NONE_SPECIFIED: 'No license is stated. Others have to ask you.',
  UNLICENSED: 'All rights reserved: others need your permission.',
  'CC-BY-4.0': 'Anyone may share and adapt it with attribution.',
  'CC-BY-SA-4.0': 'Anyone may share and adapt it with attribution, under the same license.',
  'CC-BY-NC-4.0': 'Anyone may share and adapt it with attribution, for noncommercial purposes.',
  'CC-BY-NC-SA-4.0':
    'Anyone may share and adapt it with attribution, for noncommercial purposes, under the same license.',
  'CC0-1.0': 'Public domain: anyone may use it for any purpose without attribution.',
  MIT: 'For software: anyone may use it for any purpose if your copyright notice is kept.',
  'BSD-3-Clause':
    'For software: anyone may use it for any purpose if your copyright notice is kept and your name is not used for promotion.',
  'Apache-2.0': 'For software: like MIT, with a patent grant; changes must be stated.',
  'GPL-3.0': 'For software: anyone may use and change it; distributed changes must include their source.',
};

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
    <UpgradeHint to="use private Marks" hasFeature={({ privateMarks }) => privateMarks} />
  );
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Shown with every file that you register under it, such as your name, a project or a studio."
        defaultValue={mark?.name}
        autoComplete="off"
        onType={setName}
      />
      <Namesakes name={name} ownId={mark?.id} />
      <Choice
        name="visibility"
        legend="Visibility"
        defaultValue={mark?.visibility ?? 'public'}
        options={[
          { value: 'public', label: 'Public', hint: 'Anyone can see this Mark and its files, also in the gallery.' },
          {
            value: 'private',
            label: 'Private',
            hint: 'Only members can see this Mark. Others see that a file is registered, but not by whom.',
            unavailable: mark?.visibility === 'private' ? undefined : privateUnavailable,
          },
        ]}
      />
      <LicenseField defaultKey={mark?.licenseKey ?? 'NONE_SPECIFIED'} />
      <AiPreferenceFields preferences={mark?.aiPreferences ?? aiPreferencesOf({ allowAiTraining: null })} />
    </>
  );
}

const licenseOptions = Object.keys(licenseDescriptions)
  .map(parseLicenseKey)
  .map((id) => ({ id, name: licenses[id].name }));

function LicenseField({ defaultKey }: { readonly defaultKey: LicenseKey }) {
  const [selected, setSelected] = useState(defaultKey);
  return (
    <SelectField
      name="license"
      label="License"
      hint={licenseDescriptions[selected]}
      options={licenseOptions}
      defaultValue={defaultKey}
      onSelect={(key) => setSelected(parseLicenseKey(key))}
    />
  );
}
