// What SDK, page, extension and command say about manifests inside files, as a part of `explanations.ts`. Codes and names in
// maps come from untrusted files: they can be those of members that every object has.

import type { BindingFault } from '@provenance-registry/c2pa';
import { safeText } from '../sanitize.js';

export const credentials = {
  none: 'There are none in this file. Most files have none, and many programs and websites remove them.',
  unreadable: 'The manifest cannot be read.',
  invalid:
    'The file or its manifest was changed after it was signed, or could have been without notice. Do not rely on what they state.',
  byRegistry:
    'Signed by the registry, according to the root certificates that it publishes. Unchanged since it was signed.',
  untrusted:
    'The signature is intact, but this browser knows of no reason to trust the name in it. The signer calls itself',
  unnamed: 'The signature is intact, but names no signer.',
  noTime: 'Nothing that could be checked shows when it was signed.',
  versions: (count: number) =>
    count === 1 ? 'The history has one version.' : `The history has ${count.toLocaleString('en')} versions.`,
} as const;

/** By the codes that are not C2PA's: its hash fits the file. */
const uncoveredFiles = {
  'com.service.manifestStore.malformed':
    'The manifest is not once and in one piece where the format has it, so that content can be hidden beside or in it.',
  'com.service.hardBinding.incomplete':
    'The signature does not cover all of the file: parts that programs read could be changed without notice.',
  'com.service.fileType.mismatch':
    'The signature does not cover the type that the file states, which does not fit its content.',
  'com.service.hardBinding.unknown':
    'What the signature covers is stated in a form that is not checked here, so that parts of the file may be open.',
} as const satisfies Readonly<Record<BindingFault, string>>;

/** Why a manifest inside a file could not be checked. */
export const unreadableManifests = {
  REMOTE: 'The file refers to a manifest at another address, which is not loaded.',
  DAMAGED_FILE: 'The file is damaged, so that no manifest in it can be read.',
  UNREADABLE: 'The manifest in the file cannot be read.',
  TOO_LARGE: (mebibytes: number) => `Manifests are read only in files of up to ${mebibytes} MiB.`,
  TOO_SLOW: (seconds: number) => `Reading the manifest in the file took longer than ${seconds} seconds.`,
  READER_FAILED: (cause: string) => safeText`The file could not be searched for a manifest: ${cause}.`,
} as const;

/** Why a manifest is invalid, by the codes in `failures`. */
export const manifestFailures: ReadonlyMap<string, string> = new Map([
  ['assertion.dataHash.mismatch', 'The content of the file was changed.'],
  ['assertion.bmffHash.mismatch', 'The content of the file was changed.'],
  ['assertion.boxesHash.mismatch', 'The content of the file was changed.'],
  ['assertion.hashedURI.mismatch', 'A statement in the manifest was changed.'],
  ['assertion.missing', 'A statement in the manifest was removed.'],
  ['claimSignature.mismatch', 'The signature does not fit.'],
  ['claimSignature.outsideValidity', 'The certificate was not valid at that time.'],
  [
    'signingCredential.expired',
    'The certificate has expired, and no time-stamp of a known authority shows that it was signed before.',
  ],
  ['signingCredential.invalid', 'The certificate may not be used for this.'],
  ['ingredient.manifest.mismatch', 'An earlier version in the history was changed.'],
  ...Object.entries(uncoveredFiles),
]);

/** Who vouches for a signer. */
export const signerTrust = {
  caller: "The signer's certificate was issued by an authority that you trust.",
  service: "The signer's certificate was issued by an authority that the service names: that is the service's word.",
  none: 'The identity of the signer was not checked: anyone can create a certificate with this name.',
};

/** Who vouches for the authority of a time-stamp, as a part of a sentence. */
export const authorityTrust = {
  caller: 'of an authority that you trust',
  service: "of an authority that the service names: that is the service's word",
};

/** What the signer says about a use. */
export const permissions = {
  allowed: 'allowed',
  notAllowed: 'not allowed',
  constrained: 'allowed under conditions only',
};

/** The uses that a signer can allow. */
export const uses: ReadonlyMap<string, string> = new Map([
  ['ai_training', 'training AI'],
  ['ai_generative_training', 'training generative AI'],
  ['ai_inference', 'use by AI'],
  ['data_mining', 'data mining'],
]);

/** The actions of C2PA. */
export const actions: ReadonlyMap<string, string> = new Map([
  ['c2pa.addedText', 'Text added'],
  ['c2pa.adjustedColor', 'Colors adjusted'],
  ['c2pa.changedSpeed', 'Speed changed'],
  ['c2pa.color_adjustments', 'Colors adjusted'],
  ['c2pa.converted', 'Converted to another format'],
  ['c2pa.copied', 'Copied'],
  ['c2pa.created', 'Created'],
  ['c2pa.cropped', 'Cropped'],
  ['c2pa.deleted', 'Deleted'],
  ['c2pa.drawing', 'Drawn on'],
  ['c2pa.dubbed', 'Dubbed'],
  ['c2pa.edited', 'Edited'],
  ['c2pa.edited.metadata', 'Metadata edited'],
  ['c2pa.enhanced', 'Enhanced'],
  ['c2pa.filtered', 'Filter applied'],
  ['c2pa.formatted', 'Formatted'],
  ['c2pa.managed', 'Managed by a system'],
  ['c2pa.opened', 'Opened'],
  ['c2pa.orientation', 'Turned or mirrored'],
  ['c2pa.placed', 'Placed another file in it'],
  ['c2pa.printed', 'Printed'],
  ['c2pa.produced', 'Produced'],
  ['c2pa.published', 'Published'],
  ['c2pa.redacted', 'Information removed'],
  ['c2pa.removed', 'A part removed'],
  ['c2pa.repackaged', 'Repackaged without changes'],
  ['c2pa.resized', 'Resized'],
  ['c2pa.resized.proportional', 'Resized'],
  ['c2pa.saved', 'Saved'],
  ['c2pa.transcoded', 'Encoded again'],
  ['c2pa.translated', 'Translated'],
  ['c2pa.trimmed', 'Trimmed'],
  ['c2pa.unknown', 'Something that the signer does not name'],
  ['c2pa.version_updated', 'Version updated'],
  ['c2pa.watermarked', 'Watermarked'],
  ['c2pa.watermarked.bound', 'Watermarked'],
  ['c2pa.watermarked.unbound', 'Watermarked'],
]);
