// The headline of a result: what the service states, and says that it is its statement unless independent sources confirm or
// contradict it; and what else was found, so that no file with Content Credentials is only "not registered".

import {
  type EmbeddedManifest,
  isConfirmed,
  isProven,
  type Lookup,
  signerName,
  type Verification,
} from '@provenance-registry/client';
import * as credentialTexts from '#texts/lookups/verifyCredentials';
import * as texts from '#texts/lookups/verifyResult';
import { type BadgeProps, contestedDisplay, statusDisplay } from '../../ui/feedback/StatusBadge.js';
import { isRecorded, type RecordedLookup } from './lookup.js';

export interface Findings {
  /** Undefined while it is looked up, and when that failed. */
  readonly result: Lookup | undefined;
  readonly hasFailed?: boolean;
  readonly hasFile: boolean;
  readonly embedded: EmbeddedManifest | undefined;
  readonly lookalikes?: { readonly count: number; readonly kind: 'image' | 'audio' };
  readonly verification: Verification | undefined;
}

export type Headline = Pick<BadgeProps, 'tone' | 'icon' | 'label'>;

export function headlineFor(findings: Findings): Headline {
  const { result, embedded, verification } = findings;
  if (verification?.verdict === 'contradicted') return { tone: 'bad', icon: 'cross', label: texts.contradicted };
  if (isRecorded(result)) return recordHeadline(result, verification);
  // The card of an Artifact. A copy is not recorded when the registration of its original failed.
  if (embedded?.signedCopyOf) {
    const label = isConfirmed(verification) ? texts.cardOrCopy : texts.cardOrCopyByService;
    return { tone: 'info', icon: 'check', label };
  }
  const { label, ...display } = lookupHeadline(findings);
  return { ...display, label: texts.headline([label, ...otherFindings(findings)]) };
}

function lookupHeadline({ result, hasFailed = false, hasFile }: Findings): Headline {
  if (!result) {
    return hasFailed
      ? { tone: 'warn', icon: 'warning', label: texts.couldNotLookUp }
      : { tone: 'info', icon: 'clock', label: texts.lookingUp };
  }
  if (result.match !== 'chain') {
    return { tone: 'info', icon: 'question', label: hasFile ? texts.noExactMatch : texts.notRegistered };
  }
  return { tone: 'warn', icon: 'warning', label: result.source === 'curated' ? texts.onChainOnly : texts.publicOnly };
}

function otherFindings({ result, hasFailed = false, embedded, lookalikes }: Findings): string[] {
  if (!result && !hasFailed) return [];
  return [
    ...(embedded ? [describeCredentials(embedded)] : []),
    ...(lookalikes && lookalikes.count > 0
      ? [texts.headlineLookalikes(lookalikes.count, lookalikes.kind === 'image')]
      : []),
  ];
}

function describeCredentials(embedded: EmbeddedManifest): string {
  if (embedded.state === 'unreadable') return credentialTexts.headlineUnreadable;
  if (embedded.state === 'invalid') return credentialTexts.headlineInvalid;
  if (embedded.trustedBy === 'service') return credentialTexts.headlineByRegistry;
  const signer = signerName(embedded.signer);
  if (signer === undefined) return credentialTexts.headlineUnnamed;
  return embedded.trustedBy === 'caller'
    ? credentialTexts.headlineTrusted(signer)
    : credentialTexts.headlineUntrusted(signer);
}

function recordHeadline(lookup: RecordedLookup, verification: Verification | undefined): Headline {
  const { artifact, registration, signedCopyOf } = lookup;
  const isVerified = isConfirmed(verification);
  const { contested: isContested } = artifact.claims;
  const { tone, icon } = {
    ...statusDisplay[registration.status],
    ...(verification?.verdict === 'verified' && ({ tone: 'good' } as const)),
    ...(isContested && contestedDisplay),
  };
  const label = texts.registered({
    mark: verification ? markFact(verification) : artifact.metadata.mark?.name,
    isVerified,
    isContested,
    copy: signedCopyOf ? (isVerified && !hasProvenOriginal(verification) ? 'stated' : 'shown') : 'none',
  });
  return { tone, icon, label };
}

/** That it is a copy can be the service's word although the rest is verified. */
export function hasProvenOriginal(verification: Verification | undefined): boolean {
  const original = verification?.facts.find(({ name }) => name === 'signedCopyOf');
  return original !== undefined && isProven(original);
}

function markFact({ facts }: Verification): string | undefined {
  const mark = facts.find(({ name }) => name === 'mark');
  return typeof mark?.value === 'string' ? mark.value : undefined;
}
