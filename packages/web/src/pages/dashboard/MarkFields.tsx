// The form fields of a Mark: name, visibility, license and AI training preference.

import { type LicenseKey, licenses, type Mark, type Tier } from '@provenance-registry/core';
import { useState } from 'react';
import { Field } from '../../ui/Field.js';
import { Choice, TextField } from '../../ui/Form.js';
import { lowestTierWith, useAccount } from './account.js';
import { licenseDescriptions, trainingChoices } from './licenseDescriptions.js';
import { parseLicenseKey } from './markForm.js';
import { UpgradeHint } from './UpgradeHint.js';

interface MarkFieldsProps {
  readonly mark?: Mark | undefined;
  /** The tier of the owner, which limits the choices. */
  readonly tier: Tier;
}

export function MarkFields({ mark, tier }: MarkFieldsProps) {
  const { tiers } = useAccount();
  const privateUnavailable = tiers.tiers[tier].privateMarks ? undefined : (
    <UpgradeHint to="use private Marks" tier={lowestTierWith(tiers, (rules) => rules.privateMarks)} />
  );
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Shown with every file that you register under it, such as your name, a project or a studio."
        defaultValue={mark?.name}
        autoComplete="off"
      />
      <Choice
        name="visibility"
        legend="Visibility"
        defaultValue={mark?.visibility ?? 'public'}
        options={[
          {
            value: 'public',
            label: 'Public',
            hint: 'Anyone can see this Mark and its files, also in the gallery.',
          },
          {
            value: 'private',
            label: 'Private',
            hint: 'Only members can see this Mark. Others see that a file is registered, but not by whom.',
            unavailable: mark?.visibility === 'private' ? undefined : privateUnavailable,
          },
        ]}
      />
      <LicenseField defaultKey={mark?.licenseKey ?? 'NONE_SPECIFIED'} />
      <Choice
        name="allowAiTraining"
        legend="Allow AI training"
        defaultValue={String(mark?.allowAiTraining ?? null)}
        options={trainingChoices}
      />
    </>
  );
}

function LicenseField({ defaultKey }: { readonly defaultKey: LicenseKey }) {
  const [selected, setSelected] = useState(defaultKey);
  return (
    <Field label="License" hint={licenseDescriptions[selected]}>
      {(inputProps) => (
        <select
          {...inputProps}
          name="license"
          defaultValue={defaultKey}
          onChange={({ currentTarget }) => setSelected(parseLicenseKey(currentTarget.value))}
        >
          {Object.keys(licenseDescriptions)
            .map(parseLicenseKey)
            .map((key) => (
              <option key={key} value={key}>
                {licenses[key].name}
              </option>
            ))}
        </select>
      )}
    </Field>
  );
}
