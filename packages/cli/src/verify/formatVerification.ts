// The text about one verified file: the verdict in plain words, facts with their evidence, then what each source proves.

import { type Check, describeQuestion, type Fact, type FactName, type Verification } from '@provenance-registry/client';
import {
  describeAuthorship,
  describeClaims,
  describeIdentityAtRegistration,
  describeNamesakes,
} from '@provenance-registry/core';
import {
  bold,
  formatTable,
  green,
  joinLines,
  type Piece,
  padText,
  red,
  type Text,
  text,
  wrapText,
  yellow,
} from '../text.js';
import { formatEmbedded } from './formatEmbedded.js';
import { formatIdentity } from './formatIdentity.js';
import type { FileResult } from './verifier.js';

export type Verdict = Verification['verdict'];

export const verdictTexts: Readonly<Record<Verdict, Text>> = {
  verified: green('verified'),
  consistent: yellow('consistent'),
  contested: yellow('contested'),
  superseded: yellow('superseded'),
  contradicted: red('CONTRADICTED'),
  unknown: yellow('unknown'),
  incomplete: yellow('could not check'),
};
const stateTexts: Readonly<Record<Check['state'], Text>> = {
  confirmed: green('confirmed'),
  contradicted: red('CONTRADICTED'),
  absent: yellow('not found'),
  unavailable: yellow('could not check'),
};

/** Facts in the order in which they are shown. */
const factLabels: Readonly<Partial<Record<FactName, string>>> = {
  signedCopyOf: 'Signed copy of',
  mark: 'Mark',
  author: 'Author',
  license: 'License',
  allowAiTraining: 'AI training',
  data_mining: 'Data mining',
  ai_inference: 'AI inference',
  ai_training: 'Non-generative training',
  ai_generative_training: 'Generative training',
  since: 'Since',
  filename: 'File name',
  previousFingerprint: 'Previous version',
  fileSeen: 'Possession',
  authorshipStated: 'Statement',
  registrar: 'Registrar',
};
const timeLabels = { block: 'block on chain', timestamp: 'time-stamp of the manifest', service: "the service's word" };
const sourceLabels = { registry: 'Registry', chain: 'Chain', manifest: 'Manifest' } as const;

const MARGIN = '  ';
const INNER_MARGIN = '    ';

/** Whether hashed or signed evidence carries it. */
function isProven({ evidence }: Fact): boolean {
  return evidence.some((kind) => kind !== 'service');
}

/** What hashed or signed evidence says, if nothing contradicts it. */
export function provenFact({ verdict, facts }: Verification, name: FactName): Fact['value'] | undefined {
  return verdict === 'contradicted' ? undefined : facts.find((fact) => fact.name === name && isProven(fact))?.value;
}

function formatAiTraining(value: Fact['value']): string {
  return value === null ? 'not specified' : value ? 'allowed' : 'forbidden';
}

/** `advice` is how to get an independent confirmation, shown when there is none. */
export function formatVerification(
  name: string,
  verification: FileResult,
  { columns, advice }: { readonly columns: number; readonly advice: string },
): Text {
  const { fingerprint, verdict, checks, embedded, signedCopyOf, isAboutOriginal, alarm, lookup } = verification;
  const wrap = (words: string, margin: string) => text`${margin}${wrapText(words, columns, margin.length)}`;
  const verdictWords = explainVerdict(verification);
  return joinLines([
    text`${bold(name)}: ${verdictTexts[verdict]}`,
    text`${MARGIN}${fingerprint}`,
    wrap(isUnconfirmed(verification) ? `${verdictWords} ${advice}` : verdictWords, MARGIN),
    ...formatBlock(verification),
    ...(alarm === undefined ? [] : [wrap(`ALARM: ${alarm}`, MARGIN)]),
    ...(signedCopyOf && isAboutOriginal ? [wrap(describeCopy(signedCopyOf), MARGIN)] : []),
    ...formatFacts(verification),
    ...formatServiceWord(verification, columns),
    ...formatTimes(verification),
    ...verification.problems.map(({ source, code, reason }) =>
      wrap(`Problem (${sourceLabels[source]}, ${code}): ${toSentence(reason)}`, MARGIN),
    ),
    ...verification.notices.map(({ text: words }) => wrap(`Note: ${toSentence(words)}`, MARGIN)),
    ...formatEmbedded(embedded, (words, margin) => wrap(words, margin)),
    ...(['registry', 'chain', 'manifest'] as const).flatMap((source) =>
      formatCheck(sourceLabels[source], checks[source], (words) => wrap(words, INNER_MARGIN)),
    ),
    ...(lookup ? [wrap(describeQuestion(lookup), MARGIN)] : []),
  ]);
}

/** The hash that proves what a bundle has, on a line of its own, until it has been compared. */
function formatBlock({ checks: { chain }, independentSources }: Verification): Piece[] {
  const { from, blockNumber, blockHash } = chain.details;
  const isToCompare = from === 'bundle' && chain.state === 'confirmed' && !independentSources.includes('chain');
  if (!isToCompare || blockHash === undefined) return [];
  return [text`${MARGIN}Compare block ${String(blockNumber)} with an explorer: ${blockHash}`];
}

function isUnconfirmed({ verdict, independentSources }: Verification): boolean {
  return independentSources.length === 0 && ['consistent', 'contested', 'superseded'].includes(verdict);
}

function explainVerdict(verification: Verification): string {
  const { verdict, fingerprint, checks } = verification;
  const { claims } = checks.registry.details;
  switch (verdict) {
    case 'verified':
    case 'consistent':
      return `${explainConfirmation(verification)}${claims ? '' : UNKNOWN_CLAIMS}`;
    case 'contested':
      return `Registered, contested. ${explainConfirmation(verification)} According to the service, another user contests it with older evidence that the service checked: see 'provenance claims list ${fingerprint}'.`;
    case 'superseded':
      return `Registered, superseded. ${explainConfirmation(verification)} According to the service, the Mark's admin conceded the file to the Mark "${claims?.supersededBy?.name}".`;
    case 'contradicted':
      return 'Sources contradict each other. Do not rely on what they say about this file.';
    case 'unknown':
      return 'No source that was read has anything about this file.';
    case 'incomplete':
      return 'Not enough sources could be checked.';
  }
}

const UNKNOWN_CLAIMS = ' Whether another user contests it is not known: only the service can tell.';

function explainConfirmation({ independentSources }: Verification): string {
  if (independentSources.length === 0)
    return 'Everything agrees, but all of it comes from one party: this is not an independent confirmation.';
  const names = independentSources.map((source) => (source === 'chain' ? 'the chain' : 'the signed manifest'));
  const words = names.join(' and ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${names.length > 1 ? 'confirm' : 'confirms'} the registration independently of the service.`;
}

function formatFacts({ facts, verdict }: Verification): Piece[] {
  const shown = facts.filter(isProven);
  const rows = Object.entries(factLabels).flatMap(([name, label]) => {
    const fact = shown.find((candidate) => candidate.name === name);
    return fact ? [[text`${INNER_MARGIN}${bold(label)}`, formatValue(fact, facts), fact.evidence.join(', ')]] : [];
  });
  if (rows.length === 0) return [];
  const title = verdict === 'contradicted' ? 'Evidence that nothing contradicts' : 'Facts and their evidence';
  return [text`${MARGIN}${bold(title)}`, formatTable(rows)];
}

function formatValue({ name, value }: Fact, facts: readonly Fact[]): string {
  if (name === 'allowAiTraining') return formatAiTraining(value);
  if (name === 'fileSeen')
    return value === true ? 'the service read the file' : 'not shown: only the fingerprint was sent';
  if (name === 'authorshipStated') return describeAuthorship({ authorshipStated: value === true });
  const currentName = name === 'mark' && facts.find((fact) => fact.name === 'currentMarkName')?.value;
  return currentName
    ? `registered as "${value}" (now called "${currentName}", according to the service)`
    : String(value ?? 'none');
}

/** Apart from the facts; nothing of a service that is contradicted. */
function formatServiceWord({ facts, checks: { registry }, verdict }: Verification, columns: number): Piece[] {
  if (verdict === 'contradicted') return [];
  const { status, transactionHash, source, registeredBy, signedCopies } = registry.details;
  const { mark, verifiedDomains, domainsAtRegistration, claims } = registry.details;
  const hasDomains = verifiedDomains !== undefined && domainsAtRegistration !== undefined;
  const rows = [
    ...Object.entries(factLabels).flatMap(([name, label]) => {
      const fact = facts.find((candidate) => candidate.name === name && !isProven(candidate));
      return fact ? [[label, formatValue(fact, facts)] as const] : [];
    }),
    ['Identity', hasDomains && describeIdentityAtRegistration({ verifiedDomains, domainsAtRegistration })] as const,
    ['Mark since', mark?.createdAt] as const,
    ['Artifacts', mark && String(mark.artifactCount)] as const,
    ['Namesakes', mark && describeNamesakes(mark)] as const,
    ['Represented by', mark?.representedBy?.name] as const,
    ['Claims', claims && (describeClaims({ ...claims, supersededBy: null }) ?? 'none')] as const,
    ['Superseded by', claims?.supersededBy?.name] as const,
    ['Status', status] as const,
    ['Transaction', transactionHash] as const,
    ['Entry', source && `${source}, by ${registeredBy}`] as const,
    ['Signed copies', signedCopies?.join(' ')] as const,
  ];
  const present = rows.flatMap(([label, value]) => (typeof value === 'string' ? [{ label, value }] : []));
  if (present.length === 0) return [];
  const labelColumns = Math.max(...present.map(({ label }) => label.length));
  const indent = INNER_MARGIN.length + labelColumns + 2;
  return [
    text`${MARGIN}${bold('According to the service')}`,
    ...present.map(
      ({ label, value }) =>
        text`${INNER_MARGIN}${padText(bold(label), labelColumns)}  ${wrapText(value, columns, indent)}`,
    ),
  ];
}

function formatTimes({ times, verdict }: Verification): Piece[] {
  const shown = verdict === 'contradicted' ? times.filter(({ source }) => source !== 'service') : times;
  if (shown.length === 0) return [];
  const rows = shown.map(({ source, at, isIndependent }) => [
    text`${INNER_MARGIN}${at}`,
    `${timeLabels[source]}${isIndependent ? ', independent of the service' : ''}`,
  ]);
  return [text`${MARGIN}${bold('Times')}`, formatTable(rows)];
}

/** The details to show, with their labels. */
const detailLabels = {
  blockNumber: 'Block',
  blockHash: 'Block hash',
  transactionHash: 'Transaction',
  signedBy: 'Signed by',
  signedAt: 'Signed at',
} as const;

function formatCheck(name: string, { state, proves, reason, details }: Check, wrap: (words: string) => Text): Piece[] {
  const values: Readonly<Record<string, unknown>> = { ...details };
  // Contradicted details are not facts, and those of the service are shown above.
  const isShown = state !== 'contradicted' && name !== sourceLabels.registry;
  const rows = Object.entries(isShown ? detailLabels : {}).flatMap(([key, label]) => {
    const value = values[key];
    return typeof value === 'string' || typeof value === 'number'
      ? [[text`${INNER_MARGIN}${bold(label)}`, String(value)]]
      : [];
  });
  const identity = state === 'confirmed' && 'identity' in details ? details.identity : undefined;
  return [
    text`${MARGIN}${bold(name)}: ${stateTexts[state]}`,
    ...(reason === undefined || state === 'contradicted' ? [] : [wrap(toSentence(reason))]),
    wrap(proves),
    ...formatIdentity(identity).map((line) => wrap(line)),
    ...(rows.length === 0 ? [] : [formatTable(rows)]),
  ];
}

function toSentence(words: string): string {
  // Addresses stay as they are.
  const start = /^https?:/.test(words) ? words.charAt(0) : words.charAt(0).toUpperCase();
  return `${start}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
}

/** The manifest of the registry does not tell a copy from a card for certain. */
function describeCopy(original: string): string {
  return `This file is a signed copy, or the card, of ${original}. What follows is about that file, except for the manifest in this one.`;
}
