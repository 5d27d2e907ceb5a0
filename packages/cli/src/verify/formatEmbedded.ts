// The text about a C2PA manifest inside a file: its signer, whether it fits the file, and the history that it tells.

import {
  type EmbeddedManifest,
  explanations,
  type ManifestAction,
  type ManifestIdentity,
  type ManifestSigner,
  type ManifestStep,
  signerName,
} from '@provenance-registry/client';
import { bold, green, type Piece, red, type Text, text, yellow } from '../text.js';

const MARGIN = '  ';
const INNER_MARGIN = '    ';
const STEP_MARGIN = '      ';

const stateTexts: Readonly<Record<EmbeddedManifest['state'], Text>> = {
  intact: green('intact'),
  invalid: red('INVALID'),
  unreadable: yellow('could not check'),
};

const {
  actions,
  authorityTrust,
  credentials,
  manifestFailures,
  permissions: permissionTexts,
  signerTrust,
  uses,
} = explanations;

export function formatEmbedded(
  embedded: EmbeddedManifest | undefined,
  wrap: (words: string, margin: string) => Text,
): Piece[] {
  if (!embedded) return [];
  const { state, reason, failures, signer, trustedBy, timestamp, history, omittedSteps, permissions, identity } =
    embedded;
  const title = text`${MARGIN}${bold('Manifest in the file')}: ${stateTexts[state]}`;
  if (state === 'unreadable') return [title, wrap(reason ?? credentials.unreadable, INNER_MARGIN)];
  const statements = Object.entries(permissions).map(
    ([use, permission]) => `${uses.get(use) ?? use}: ${permissionTexts[permission]}`,
  );
  const lines = [
    state === 'intact'
      ? `It fits the file. Signed by ${describeSigner(signer)}. ${signerTrust[trustedBy ?? 'none']}`
      : credentials.invalid,
    ...failures.map(describeFailure),
    ...(timestamp ? [`Time-stamp: ${timestamp.at}, ${authorityTrust[timestamp.trustedBy]}.`] : []),
    ...formatIdentity(identity),
    ...(statements.length > 0 ? [`The signer says: ${statements.join(', ')}.`] : []),
  ];
  return [
    title,
    ...lines.map((line) => wrap(line, INNER_MARGIN)),
    ...(history.length > 0 ? [text`${INNER_MARGIN}${bold('History')}`] : []),
    ...(omittedSteps > 0 ? [wrap(`${omittedSteps} earlier steps are left out.`, STEP_MARGIN)] : []),
    ...history.map((step) => wrap(describeStep(step), STEP_MARGIN)),
  ];
}

function describeFailure(code: string): string {
  const sentence = manifestFailures.get(code);
  return sentence === undefined ? code : `${sentence} (${code})`;
}

function describeSigner(signer: ManifestSigner | undefined): string {
  const name = signerName(signer);
  return name === undefined ? 'an unnamed signer' : `"${name}"`;
}

function describeStep({
  title,
  signer,
  signedAt,
  relationship,
  actions,
  omittedActions,
  failures,
}: ManifestStep): string {
  const name = title === undefined ? (relationship === undefined ? 'This file' : 'An earlier file') : `"${title}"`;
  const omitted = omittedActions === undefined ? '' : `, and ${omittedActions} more`;
  const made = actions.length > 0 ? `: ${actions.map(describeAction).join(', ')}${omitted}` : '';
  const signed = signer
    ? `. Signed by ${describeSigner(signer)}${signedAt === undefined ? '' : ` at ${signedAt}`}.`
    : '. No manifest.';
  const problems = failures.length > 0 ? ` Validation failed: ${failures.join(', ')}.` : '';
  return `- ${name}${made}${signed}${problems}`;
}

function describeAction({ action, softwareAgent, when, digitalSourceType }: ManifestAction): string {
  const details = [
    softwareAgent && `with ${softwareAgent}`,
    when && `at ${when}`,
    digitalSourceType && `source: ${digitalSourceType.split('/').at(-1)}`,
  ].filter((detail) => detail);
  const name = actions.get(action) ?? action;
  return details.length > 0 ? `${name} (${details.join(', ')})` : name;
}

/** Domains that the service had verified, one a line. */
export function formatIdentity(identity: ManifestIdentity | undefined): string[] {
  const { issuer = '', domains = [] } = identity ?? {};
  return domains.map(
    ({ domain, verifiedAt }) => `Identity: ${domain}, checked by ${shorten(issuer)} on ${verifiedAt}.`,
  );
}

/** A `did:jwk` is the key itself, which no one compares by eye. */
function shorten(did: string): string {
  return did.startsWith('did:jwk:') ? `${did.slice(0, 24)}…` : did;
}
