// What a Mark states: its name, who sees it, its licence, whether models may be trained with what is under it.

import { type LicenseKey, licenseKeys, licenses, type Mark, type Tier } from '@provenance-registry/core';
import { type ReactNode, useState } from 'react';
import { Link } from '../../routing.js';
import { Field } from '../../ui/Field.js';
import { Choice, TextField } from '../../ui/Form.js';
import { firstTierWith, useAccount } from './account.js';
import { licenceWords, trainingChoices, trainingOf } from './licenseTexts.js';
import { tierTitles } from './UsageMeters.js';
import { anything, wrongName } from './validators.js';

export const markChecks = { name: wrongName, visibility: anything, license: anything, allowAiTraining: anything };
type MarkValues = Readonly<Record<keyof typeof markChecks, string>>;

export function markOf({ name, visibility, license, allowAiTraining }: MarkValues) {
  return {
    name: name.trim(),
    visibility: visibility === 'private' ? ('private' as const) : ('public' as const),
    license: licenceOf(license),
    allowAiTraining: trainingOf(allowAiTraining),
  };
}

function licenceOf(value: string): LicenseKey {
  return licenseKeys.find((key) => key === value) ?? 'NONE_SPECIFIED';
}

interface MarkFieldsProps {
  readonly mark?: Mark | undefined;
  /** Of whoever owns the Mark: it decides what may be chosen. */
  readonly tier: Tier;
  readonly nameError: string | undefined;
}

export function MarkFields({ mark, tier, nameError }: MarkFieldsProps) {
  const { tiers } = useAccount();
  const noPrivate = tiers.tiers[tier].privateMarks ? undefined : (
    <ComesWith what="Private Marks come" tier={firstTierWith(tiers, (rules) => rules.privateMarks)} />
  );
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Under this name people see what you register. A name of yours, of a project, of a studio."
        defaultValue={mark?.name}
        autoComplete="off"
        error={nameError}
      />
      <Choice
        name="visibility"
        legend="Who sees it"
        defaultValue={mark?.visibility ?? 'public'}
        options={[
          {
            value: 'public',
            label: 'Everybody',
            hint: 'It is shown in the gallery, with what is registered under it.',
          },
          {
            value: 'private',
            label: 'Only those who may register under it',
            hint: 'Others learn that a file is registered, and not by whom.',
            refusal: mark?.visibility === 'private' ? undefined : noPrivate,
          },
        ]}
      />
      <LicenceField chosen={mark?.licenseKey ?? 'NONE_SPECIFIED'} />
      <Choice
        name="allowAiTraining"
        legend="May AI models be trained with it?"
        defaultValue={String(mark?.allowAiTraining ?? null)}
        options={trainingChoices}
      />
    </>
  );
}

function LicenceField({ chosen }: { readonly chosen: LicenseKey }) {
  const [key, setKey] = useState(chosen);
  return (
    <Field label="Licence" hint={licenceWords[key]}>
      {(connections) => (
        <select
          {...connections}
          name="license"
          defaultValue={chosen}
          onChange={({ currentTarget }) => setKey(licenceOf(currentTarget.value))}
        >
          {Object.entries(licenceWords).map(([name]) => (
            <option key={name} value={name}>
              {licenses[licenceOf(name)].name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** "Private Marks come with the Creator tier." */
export function ComesWith({ what, tier }: { readonly what: ReactNode; readonly tier: Tier | undefined }) {
  if (tier === undefined) return <>{what} with none of the tiers here.</>;
  return (
    <>
      {what} with the {tierTitles[tier]} tier. <Link to="/dashboard/account">See the tiers</Link>
    </>
  );
}
