// Licences and preferences of a Mark, in plain words.

import type { LicenseKey } from '@provenance-registry/core';

export const licenceWords: Readonly<Record<LicenseKey, string>> = {
  NONE_SPECIFIED: 'You say nothing about it. Others have to ask you.',
  UNLICENSED: 'All rights reserved: nobody may use it without asking you.',
  'CC-BY-4.0': 'Anyone may share and change it, if they name you.',
  'CC-BY-SA-4.0': 'Anyone may share and change it, if they name you and share the result in the same way.',
  'CC-BY-NC-4.0': 'Anyone may share and change it, if they name you and earn nothing from it.',
  'CC-BY-NC-SA-4.0':
    'Anyone may share and change it, if they name you, earn nothing from it and share the result in the same way.',
  'CC0-1.0': 'You give it to everybody: anyone may do anything with it, without naming you.',
  MIT: 'For software: anyone may do anything with it, if your notice stays with it.',
  'BSD-3-Clause':
    'For software: anyone may do anything with it, if your notice stays with it and your name advertises nothing.',
  'Apache-2.0': 'For software: as MIT, and it covers patents; changes must be stated.',
  'GPL-3.0': 'For software: anyone may use and change it, and must pass changes on with their source.',
};

export const trainingChoices = [
  { value: 'null', label: 'I do not say', hint: 'Nothing is stated about it.' },
  { value: 'false', label: 'No', hint: 'It may not be used to train AI models.' },
  { value: 'true', label: 'Yes', hint: 'It may be used to train AI models.' },
] as const;

export function trainingOf(value: string): boolean | null {
  return value === 'null' ? null : value === 'true';
}
