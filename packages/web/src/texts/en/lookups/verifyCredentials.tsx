// Texts of the Content Credentials (C2PA manifests) inside a file. What they state is the signer's word, and says so.

import { explanations } from '@provenance-registry/client';
import type { ReactNode } from 'preact/compat';
import { formatNumber } from '../../../ui/text/format.js';

// Headlines, as parts of one.

export const headlineTrusted = (signer: string) => `It carries Content Credentials signed by “${signer}”`;
export const headlineUntrusted = (signer: string) =>
  `It carries Content Credentials of a signer that calls itself “${signer}”`;
export const headlineUnnamed = 'It carries Content Credentials of a signer without a name';
export const headlineByRegistry = 'It carries Content Credentials signed by this registry';
export const headlineInvalid = 'It carries Content Credentials that are not valid';
export const headlineUnreadable = 'Content Credentials in it could not be read';

// The answer.

export const reading = 'Reading the file …';
export const needsFile = 'They are inside files, and only a fingerprint was given. Choose the file to read them.';
export const needsFileAgain = 'They are inside the file, which this page no longer has. Choose it again to read them.';
export const none = explanations.credentials.none;
export const unreadable = explanations.credentials.unreadable;
export const invalid = explanations.credentials.invalid;
export const trusted = (signer: ReactNode) => (
  <>Signed by {signer}, under the root certificates that you named. Unchanged since it was signed.</>
);
export const byRegistry = explanations.credentials.byRegistry;
export const untrusted = (signer: ReactNode) => (
  <>
    {explanations.credentials.untrusted} {signer}.
  </>
);
export const unnamed = explanations.credentials.unnamed;
/** Texts by who vouches for the authority of the time-stamp. */
export const signedAt = {
  caller: (at: ReactNode) => <>Signed {at}, by a time-stamp under the root certificates that you named.</>,
  service: (at: ReactNode) => (
    <>Signed {at}, by a time-stamp under the root certificates that this registry publishes.</>
  ),
};
export const noTime = explanations.credentials.noTime;
/** `phrase` reads as in "captured with a camera". */
export const source = (phrase: ReactNode) => <>According to the signer, it was {phrase}.</>;
export const madeWithAi = (phrase: ReactNode) => <>Made or edited with AI, according to the signer: it was {phrase}.</>;
export const earlierAi =
  'Something that went into it was made or edited with generative AI, according to the history in the file.';
export const edits = (names: readonly string[], others: number) =>
  others === 0
    ? `Edits that the history names: ${names.join(', ')}.`
    : `Edits that the history names: ${names.join(', ')} and ${formatNumber(others)} more.`;
export const versions = explanations.credentials.versions;

// Details.

export const details = 'Content Credentials in your file';
export const intactByCaller = 'Unchanged since it was signed, by a signer under the roots that you named.';
export const intactByService =
  'Unchanged since it was signed, by this registry according to the roots that it publishes. That is its own word.';
export const intactUntrusted = 'The signature is intact, but this browser knows of no reason to trust the name in it.';
export const anyoneCanName =
  'Anyone can make a certificate with any name. If you know the root certificate of this signer from elsewhere, add it to your own sources: then this page says whether the signature leads to it.';
export const addRoots = 'Add root certificates';
export const signedBy = 'Signed by';
export const callsItself = 'Signer calls itself';
export const when = 'When';
export const signerWithoutName = 'a certificate without a name';
export const registeredFile = 'Registered file';
export const title = 'Title';
export const madeWith = 'Made with';
export const permissionsLabel = 'Permissions';
export const permission = (use: ReactNode, permission: string) => (
  <>
    {use}: {permission}
  </>
);
export const permissions = {
  allowed: 'allowed',
  notAllowed: 'not allowed',
  constrained: 'allowed under conditions',
};
/** Names such as `constructor` come from untrusted files. */
export const uses: ReadonlyMap<string, string> = new Map([
  ['ai_training', 'training AI'],
  ['ai_generative_training', 'training generative AI'],
  ['ai_inference', 'use by AI'],
  ['data_mining', 'data mining'],
]);
export const andMore = (count: number) => `and ${formatNumber(count)} more`;
export const failures: ReadonlyMap<string, string> = new Map([
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
  ...Object.entries(explanations.uncoveredFiles),
]);

// History.

export const history = (count: number) =>
  count === 1 ? 'History: 1 version' : `History: ${formatNumber(count)} versions, oldest first`;
export const earlierNotShown = (count: number) =>
  count === 1 ? '1 earlier version not shown.' : `${formatNumber(count)} earlier versions not shown.`;
export const historyIsStated =
  'The history is what the signers state. Earlier signers were not compared with any roots.';
export const yourFile = 'Your file';
export const relationships: ReadonlyMap<string, string> = new Map([
  ['parentOf', 'Earlier version'],
  ['componentOf', 'Part'],
  ['inputTo', 'Input'],
]);
export const ingredient = 'Ingredient';
export const stepTitle = (what: ReactNode, title: ReactNode) => (
  <>
    {what}: {title}
  </>
);
export const withoutManifest = 'without a manifest';
interface StepSignature {
  readonly signer: ReactNode;
  readonly at?: ReactNode;
  readonly generator?: ReactNode;
}
export const stepSigned = ({ signer, at, generator }: StepSignature) => (
  <>
    signed by {signer}
    {at !== undefined && <>, {at}</>}
    {generator !== undefined && <>, with {generator}</>}
  </>
);
interface ActionTexts {
  readonly name: ReactNode;
  readonly source?: ReactNode;
  readonly software?: ReactNode;
  readonly at?: ReactNode;
  readonly description?: ReactNode;
}
export const action = ({ name, source, software, at, description }: ActionTexts) => (
  <>
    {name}
    {source !== undefined && <>, {source}</>}
    {software !== undefined && <>, with {software}</>}
    {at !== undefined && <>, {at}</>}
    {description !== undefined && <>: {description}</>}
  </>
);
export const repeated = (action: ReactNode, count: number) => (
  <>
    {action}, {formatNumber(count)} times in a row
  </>
);
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
