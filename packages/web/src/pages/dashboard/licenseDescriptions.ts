// Licenses and AI training preferences, explained.

import type { LicenseKey } from '@provenance-registry/core';

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

export const trainingChoices = [
  { value: 'null', label: 'Not specified', hint: 'No preference is stated.' },
  { value: 'false', label: 'No', hint: 'It may not be used to train AI models.' },
  { value: 'true', label: 'Yes', hint: 'It may be used to train AI models.' },
] as const;

export function parseTrainingChoice(value: string): boolean | null {
  return value === 'null' ? null : value === 'true';
}
