// The verdict of a verification, and why it is not another one.

import { safeText } from '../sanitize.js';
import type { IndependentSource, Reason, Verdict, Verification } from '../verification/types.js';
import type { ByCode } from './byCode.js';

/** The verdict in plain words. */
export function verdict(verification: Verification): string {
  const { verdict: word, reason, checks } = verification;
  const reasonText = reason?.text ?? '';
  const areClaimsKnown = checks.registry.details.claims !== undefined;
  const unknownClaims = ' Whether another user contests it is not known: only the service can tell.';
  const registered = `${confirmation(verification)}${areClaimsKnown ? '' : unknownClaims}`;
  const words: Readonly<Record<Verdict, string>> = {
    verified: registered,
    consistent: registered,
    contested: `Registered, contested. ${confirmation(verification)} ${reasonText}`,
    superseded: `Registered, superseded. ${confirmation(verification)} ${reasonText}`,
    contradicted: 'Do not rely on what the sources say about this file.',
    unknown: reasonText,
    incomplete: reasonText,
  };
  return words[word];
}

/** What confirms the registration, or why nothing does. */
function confirmation({ verdict: word, independentSources, reason }: Verification): string {
  const names = listSources(independentSources);
  if (names === '') return word === 'consistent' && reason ? reason.text : reasons.NOTHING_NAMED;
  const verb = independentSources.length > 1 ? 'confirm' : 'confirms';
  const confirmed = `${names.charAt(0).toUpperCase()}${names.slice(1)} ${verb} the registration independently of the service.`;
  return word === 'consistent' && reason ? `${confirmed} ${reason.text}` : confirmed;
}

const sourceNames: Readonly<Record<IndependentSource, string>> = {
  chain: 'the chain',
  manifest: 'the signed manifest',
  log: 'the public log',
};

/** `the chain, the signed manifest and the public log`. */
export function listSources(sources: readonly IndependentSource[]): string {
  const names = sources.map((source) => sourceNames[source]);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Why a verification is not `verified`. */
export const reasons = {
  SOURCE_UNUSABLE: (cause: string) => safeText`A source that you named could not be used: ${cause}`,
  SOURCES_UNAVAILABLE: (cause = 'no source was given') => safeText`Not enough sources could be checked: ${cause}`,
  REQUIRED: 'A required source does not confirm independently of the service.',
  MARK_HIDDEN: 'Whether it is registered under the expected Mark is not known: its Mark is hidden.',
  REGISTRY_NOT_CHECKED: (cause: string) =>
    safeText`Whether this is still the registry that you know could not be checked: ${cause}`,
  NOTHING_NAMED: 'Everything agrees, but all of it comes from one party: this is not an independent confirmation.',
  CONTRACT_NOT_NAMED: (address: string, from: string) =>
    safeText`The address of the contract, ${address}, comes from the ${from}: compare it with one that you know from elsewhere.`,
  BLOCK_NOT_COMPARED: 'The bundle agrees with itself, but the block of its proof was not compared with the chain.',
  REGISTRANT_NOT_PROVEN: "The entry is confirmed, but who registered the file, or its license, is the service's word.",
  REGISTRATION_FAILED: 'According to the service, this registration has failed, so that it no longer counts.',
  NO_OWN_ENTRY: 'Exactly this file has no entry of its own: it is a copy or the card of a registered one.',
  CONTRADICTED: 'Sources contradict each other.',
  UNEXPECTED_MARK: (mark: unknown, expected: string) =>
    safeText`It is registered under the Mark ${mark}, not under ${expected}.`,
  REGISTRY_CHANGED: 'The registry is not the one that you know.',
  UNKNOWN: 'No source that was read has anything about this file.',
  CONTESTED: 'Another user contests the registration with older evidence, according to the service.',
  SUPERSEDED: "The Mark's admin conceded the file to another Mark, according to the service.",
} as const satisfies ByCode<Reason['code']>;
