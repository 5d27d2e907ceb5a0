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
export const andMore = (count: number) => `and ${formatNumber(count)} more`;

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
