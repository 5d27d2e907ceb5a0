// The text about one verified file: the verdict in plain words, facts with their evidence, then what each source proves.

import {
  type Check,
  explanations,
  type Fact,
  type FactName,
  isProven,
  type Verdict,
  type Verification,
} from '@provenance-registry/client';
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
import { formatEmbedded, formatIdentity } from './formatEmbedded.js';
import type { FileResult } from './verifier.js';

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
  agrees: yellow('agrees'),
  contradicted: red('CONTRADICTED'),
  absent: yellow('not found'),
  unavailable: yellow('could not check'),
};

/** Facts in the order in which they are shown. The others are parts of these. */
const { markId: _, authorId: _author, currentMarkName: _current, ...factLabels } = explanations.factLabels;
const sourceLabels = { registry: 'Registry', chain: 'Chain', manifest: 'Manifest', log: 'Log' } as const;

const MARGIN = '  ';
const INNER_MARGIN = '    ';

/** What such a source says, if nothing contradicts it. */
export function provenFact({ verdict, facts }: Verification, name: FactName): Fact['value'] | undefined {
  return verdict === 'contradicted' ? undefined : facts.find((fact) => fact.name === name && isProven(fact))?.value;
}

interface DetailOptions {
  readonly columns: number;
  /** What to run to get a verified result. */
  readonly advice: string | undefined;
  /** Who takes the place of the service: the maker of a bundle, or a copy. */
  readonly maker: string | undefined;
}

export function formatVerification(name: string, verification: FileResult, options: DetailOptions): Text {
  const { columns, advice, maker } = options;
  const { fingerprint, verdict, checks, embedded, signedCopyOf, isAboutOriginal, alarm, disclosure } = verification;
  const wrap = (words: string, margin: string) => text`${margin}${wrapText(words, columns, margin.length)}`;
  const checkNames = ['registry', 'chain', 'manifest', 'log'] as const;
  // A service without a log, or without a record, has nothing there to check.
  const shown = checkNames.filter((source) => source !== 'log' || checks.log.code !== 'NOT_CHECKED');
  const isServiceWord = (source: (typeof checkNames)[number]) =>
    checks[source].state === 'agrees' || (maker !== undefined && checks[source].code === 'NOT_PROVEN');
  const isTimeProven = verification.times.some(({ source, isIndependent }) => source === 'timestamp' && isIndependent);
  const isAnchorProven = verification.times.some(({ source, isIndependent }) => source === 'anchor' && isIndependent);
  const formatChecks = (sources: readonly (typeof checkNames)[number][]) =>
    sources.flatMap((source) =>
      formatCheck(sourceLabels[source], checks[source], {
        wrap: (sentence) => wrap(sentence, INNER_MARGIN),
        isTimeShown: isTimeProven || isServiceWord(source),
        isAnchorProven,
      }),
    );
  return joinLines([
    text`${bold(name)}: ${verdictTexts[verdict]}${formatCause(verification)}`,
    text`${MARGIN}${fingerprint}`,
    // The first line has said it.
    ...(verdict === 'incomplete' ? [] : [wrap(explanations.verdict(verification), MARGIN)]),
    ...formatBlock(verification),
    ...(alarm === undefined ? [] : [wrap(`ALARM: ${alarm}`, MARGIN)]),
    ...(signedCopyOf && isAboutOriginal ? [wrap(describeCopy(signedCopyOf), MARGIN)] : []),
    ...formatFacts(verification),
    ...formatTimes(verification),
    ...verification.problems.map(({ source, code, reason }) =>
      wrap(`Problem (${sourceLabels[source]}, ${code}): ${toSentence(reason)}`, MARGIN),
    ),
    ...verification.notices.map((notice) => wrap(`Note: ${toSentence(notice.text)}`, MARGIN)),
    ...formatEmbedded(embedded, (words, margin) => wrap(words, margin)),
    ...formatChecks(shown.filter((source) => !isServiceWord(source))),
    ...formatServiceWord(verification, columns, maker ?? 'the service'),
    ...formatChecks(shown.filter(isServiceWord)),
    ...(disclosure ? [wrap(explanations.disclosed(disclosure), MARGIN)] : []),
    // Not wrapped, so that the command in it can be copied.
    ...(advice === undefined ? [] : [text`${MARGIN}${bold('Next')}: ${advice}`]),
  ]);
}

/** What is shown nowhere else, or must not be missed. */
function formatCause({ verdict, reason }: Verification): string {
  const isFirst = verdict === 'incomplete' || reason?.code === 'UNEXPECTED_MARK' || reason?.code === 'REGISTRY_CHANGED';
  return isFirst && reason ? `: ${reason.text}` : '';
}

/** The hash that proves what a bundle has, on a line of its own, until it has been compared. */
function formatBlock({ checks: { chain, log } }: Verification): Piece[] {
  const { from, blockNumber, blockHash } = chain.details;
  const isOpen = from === 'bundle' && chain.code === 'NOT_PROVEN' && blockHash !== undefined;
  const { anchor } = log.details;
  return [
    ...(isOpen ? [text`${MARGIN}Compare block ${String(blockNumber)} with an explorer: ${blockHash}`] : []),
    ...(anchor && !anchor.isOnChain
      ? [
          text`${MARGIN}Compare block ${String(anchor.blockNumber)} of the log's anchor with an explorer: ${anchor.blockHash}`,
        ]
      : []),
  ];
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

function formatValue(fact: Fact, facts: readonly Fact[]): string {
  if (fact.name === 'authorshipStated') return describeAuthorship({ authorshipStated: fact.value === true });
  return explanations.factValue(fact, facts);
}

/** Apart from the facts; nothing of a service that is contradicted. */
function formatServiceWord({ facts, times, checks, verdict }: Verification, columns: number, who: string): Piece[] {
  if (verdict === 'contradicted') return [];
  const { status, transactionHash, source, registeredBy, signedCopies } = checks.registry.details;
  const { mark, verifiedDomains, domainsAtRegistration, claims } = checks.registry.details;
  const hasDomains = verifiedDomains !== undefined && domainsAtRegistration !== undefined;
  const rows = [
    ...times
      .filter(({ isIndependent }) => !isIndependent)
      .map(({ source, at }) => [capitalize(explanations.timeSources[source]), at] as const),
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
    text`${MARGIN}${bold(`According to ${who}`)}`,
    ...present.map(
      ({ label, value }) =>
        text`${INNER_MARGIN}${padText(bold(label), labelColumns)}  ${wrapText(value, columns, indent)}`,
    ),
  ];
}

/** Proven ones alone. */
function formatTimes({ times }: Verification): Piece[] {
  const rows = times
    .filter(({ isIndependent }) => isIndependent)
    .map(({ source, at }) => [text`${INNER_MARGIN}${at}`, explanations.timeSources[source]]);
  return rows.length === 0 ? [] : [text`${MARGIN}${bold('Times')}`, formatTable(rows)];
}

/** The details to show, with their labels. */
const detailLabels = {
  blockNumber: 'Block',
  blockHash: 'Block hash',
  transactionHash: 'Transaction',
  signedBy: 'Signed by',
  signedAt: 'Signed at',
  origin: 'Log',
  index: 'Leaf',
} as const;

function formatCheck(
  name: string,
  { state, proves, reason, details }: Check,
  {
    wrap,
    isTimeShown,
    isAnchorProven,
  }: { readonly wrap: (words: string) => Text; readonly isTimeShown: boolean; readonly isAnchorProven: boolean },
): Piece[] {
  const values: Readonly<Record<string, unknown>> = { ...details };
  // Contradicted details are not facts, and those of the service are shown above.
  const isShown = state !== 'contradicted' && name !== sourceLabels.registry;
  const rows = Object.entries(isShown ? detailLabels : {}).flatMap(([key, label]) => {
    const value = key === 'signedAt' && !isTimeShown ? undefined : values[key];
    return typeof value === 'string' || typeof value === 'number'
      ? [[text`${INNER_MARGIN}${bold(label)}`, String(value)]]
      : [];
  });
  if (isShown) rows.push(...formatWitnesses(details), ...(isAnchorProven ? formatAnchor(details) : []));
  const hasIdentity = (state === 'confirmed' || state === 'agrees') && 'identity' in details;
  const identity = hasIdentity ? details.identity : undefined;
  return [
    text`${MARGIN}${bold(name)}: ${stateTexts[state]}`,
    ...(reason === undefined || state === 'contradicted' ? [] : [wrap(toSentence(reason))]),
    wrap(proves),
    ...formatIdentity(identity).map((line) => wrap(line)),
    ...(rows.length === 0 ? [] : [formatTable(rows)]),
  ];
}

/** Witnesses that the caller named, whose word the times are. */
function formatWitnesses(details: Check['details']): [Text, string][] {
  if (!('cosignatures' in details) || details.keyFrom !== 'caller' || details.keyStatedBy !== undefined) return [];
  return (details.cosignatures ?? []).map(({ name, at }) => [
    text`${INNER_MARGIN}${bold('Witness')}`,
    explanations.witnessed(name, at),
  ]);
}

function formatAnchor(details: Check['details']): [Text, string][] {
  if (!('anchor' in details) || !details.anchor) return [];
  return [[text`${INNER_MARGIN}${bold('Anchor')}`, explanations.anchored(details.anchor)]];
}

function toSentence(words: string): string {
  // Addresses stay as they are.
  const sentence = /^https?:/.test(words) ? words : capitalize(words);
  return `${sentence}${/[.!?]$/.test(words) ? '' : '.'}`;
}

function capitalize(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The manifest of the registry does not tell a copy from a card for certain. */
function describeCopy(original: string): string {
  return `This file is a signed copy, or the card, of ${original}. What follows is about that file, except for the manifest in this one.`;
}
