// The licenses that a Mark can have, with their names and URLs.

import { StringEnum } from '../text/text.js';

export const licenseKeys = [
  'MIT',
  'Apache-2.0',
  'GPL-3.0',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-SA-4.0',
  'CC0-1.0',
  'NONE_SPECIFIED',
  'UNLICENSED',
] as const;

export const LicenseKey = StringEnum(licenseKeys, { title: 'LicenseKey', description: 'Identifies a license.' });
export type LicenseKey = (typeof licenseKeys)[number];

/** Names from SPDX; URLs of the license's own steward where it has one. */
export const licenses: Readonly<Record<LicenseKey, { readonly name: string; readonly url: string | null }>> = {
  MIT: { name: 'MIT License', url: 'https://spdx.org/licenses/MIT.html' },
  'Apache-2.0': { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  'GPL-3.0': { name: 'GNU General Public License v3.0', url: 'https://www.gnu.org/licenses/gpl-3.0.html' },
  'BSD-3-Clause': {
    name: 'BSD 3-Clause "New" or "Revised" License',
    url: 'https://spdx.org/licenses/BSD-3-Clause.html',
  },
  'CC-BY-4.0': {
    name: 'Creative Commons Attribution 4.0 International',
    url: 'https://creativecommons.org/licenses/by/4.0/',
  },
  'CC-BY-SA-4.0': {
    name: 'Creative Commons Attribution Share Alike 4.0 International',
    url: 'https://creativecommons.org/licenses/by-sa/4.0/',
  },
  'CC-BY-NC-4.0': {
    name: 'Creative Commons Attribution Non Commercial 4.0 International',
    url: 'https://creativecommons.org/licenses/by-nc/4.0/',
  },
  'CC-BY-NC-SA-4.0': {
    name: 'Creative Commons Attribution Non Commercial Share Alike 4.0 International',
    url: 'https://creativecommons.org/licenses/by-nc-sa/4.0/',
  },
  'CC0-1.0': {
    name: 'Creative Commons Zero v1.0 Universal',
    url: 'https://creativecommons.org/publicdomain/zero/1.0/',
  },
  NONE_SPECIFIED: { name: 'None specified', url: null },
  UNLICENSED: { name: 'Unlicensed: all rights reserved', url: null },
};
