// What a lookup found, and what the registry learned from it.

import type { Disclosure } from '../lookups/disclosure.js';
import type { LookalikeSearch } from '../lookups/lookalikes.js';
import type { MissingHashReason } from '../lookups/perceptualHashes.js';

/** What the registry learned from a lookup. */
export function disclosed({ lookupBy, fingerprintDisclosed, prefix }: Disclosure): string {
  if (lookupBy === 'fingerprint') return 'The registry was sent the fingerprint of this file.';
  const asked = `asked for all fingerprints that start with ${prefix}`;
  if (!fingerprintDisclosed) return `The registry does not learn which file you checked. It was ${asked}.`;
  return `The registry was ${asked}. It has one that matches, whose record was then read: so it knows which file was checked.`;
}

/** What the registry learned from many lookups, `disclosedFiles` of which told it which file it was. */
export function disclosedOfMany(lookupBy: Disclosure['lookupBy'], files: number, disclosedFiles: number): string {
  const count = (number: number) => `${number} ${number === 1 ? 'file' : 'files'}`;
  if (lookupBy === 'fingerprint') return `The service was sent the fingerprints of ${count(files)}.`;
  const unknown = 'The service does not learn which files you checked';
  return disclosedFiles === 0 ? `${unknown}.` : `${unknown}, except for ${count(disclosedFiles)} that it has.`;
}

export const matches = {
  artifact: 'Registered, according to the registry.',
  chain: 'Not registered with this registry, but written on chain by others.',
  none: 'Exactly this file is not registered, as far as the registry knows. Copies that were edited, cropped or saved again have other fingerprints.',
} as const;

/** A match on chain, by the registry of the entry. */
export const chainEntries = {
  curated:
    'According to the registry, the curated registry on chain has an entry for it that this service did not record.',
  public:
    'According to the registry, the public registry on chain has an entry for it. Everyone can write there, and this service did not.',
} as const;

export const chainBehind =
  'The registry has not read the latest blocks of the chain, which may have an entry for this file.';
export const registrationFailed = 'A registration was attempted, but did not reach the chain.';
export const signedCopy = 'This is a signed copy of the registered file.';

export const claims = {
  none: 'No open claim to this registration, according to the registry.',
  notRegistered: 'Claims are made to registrations, and exactly this file has none.',
  unknown: 'Not known, because the registration could not be looked up.',
} as const;

/** The state of one finding about a file, such as its exact match. */
export const findingStates = {
  checking: 'Checking …',
  computed: 'Computed here',
  found: 'Found',
  /** Found, but no good news by itself. */
  noted: 'Found',
  notFound: 'Not found',
  notChecked: 'Not checked',
  failed: 'Could not check',
  invalid: 'Not valid',
  contested: 'Contested',
  contradicted: 'Contradicted',
  changed: 'Registry changed',
} as const;

// Look-alikes.

/** Why a file was not compared, as a part of a sentence. */
export const missingHashes: Readonly<Record<MissingHashReason, string>> = {
  unsupported: 'it is not an image or recording in a format that can be compared',
  'too-large': 'the file is larger than 32 MiB or 100 megapixels',
  featureless: 'an image of one color, silence or a recording of few seconds has nothing to compare',
  unreadable: 'the file is broken, or cannot be decoded here',
  'no-decoder': "the package 'sharp', which reads images, is not installed for this platform",
};

export const lookalikesFound = (count: number, kind: 'image' | 'audio') => {
  const verb = kind === 'image' ? 'look' : 'sound';
  return count === 1
    ? `One registered file ${verb}s like it.`
    : `${count.toLocaleString('en')} registered files ${verb} like it, the closest first.`;
};
export const noLookalikes = 'No look-alike found. Files of private Marks, heavy crops and heavy edits are not found.';
export const lookalikeHint = 'A look-alike is a hint, not a proof: compare the files yourself.';
export const lookalikeLimits =
  'Different works can have close fingerprints of this kind, and they can be made to match: a look-alike does not prove that it is the same work, or who made it.';

/** What the service was sent to search for look-alikes. */
export const sentForSearch: Readonly<Record<LookalikeSearch['sent'], string>> = {
  perceptualHashes: 'Only visual and audio fingerprints were sent, not the files.',
  file: 'The files were sent to the service, which does not store them.',
  nothing: 'Nothing was sent.',
};
export const disclosedBySearch = 'By its visual or audio fingerprint, the registry learned what the file is like.';
