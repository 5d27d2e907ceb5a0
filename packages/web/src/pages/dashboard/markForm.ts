// The values of the form for a Mark.

import { type LicenseKey, licenseKeys } from '@provenance-registry/core';
import { acceptAny, validateName } from '../../validators.js';
import { parseTrainingChoice } from './licenseDescriptions.js';

export const markValidators = {
  name: validateName,
  visibility: acceptAny,
  license: acceptAny,
  allowAiTraining: acceptAny,
};

export type MarkFormValues = Readonly<Record<keyof typeof markValidators, string>>;

export function parseMarkForm({ name, visibility, license, allowAiTraining }: MarkFormValues) {
  return {
    name: name.trim(),
    visibility: visibility === 'private' ? ('private' as const) : ('public' as const),
    license: parseLicenseKey(license),
    allowAiTraining: parseTrainingChoice(allowAiTraining),
  };
}

export function parseLicenseKey(value: string): LicenseKey {
  return licenseKeys.find((key) => key === value) ?? 'NONE_SPECIFIED';
}
