// Texts of the result for a file: the headline, what was found, and the registration.

import { explanations } from '@provenance-registry/client';
import type { ReactNode } from 'preact/compat';
import { formatNumber } from '../../../ui/text/format.js';

// Headlines.

export const contradicted = 'Contradicted';
export const lookingUp = 'Looking up …';
export const couldNotLookUp = 'Could not check whether it is registered here';
export const noExactMatch = 'No exact match here';
export const notRegistered = 'Not registered here';
export const cardOrCopy = 'Card or signed copy of a registered file';
export const cardOrCopyByService = 'Card or signed copy of a registered file, according to this service';
export const onChainOnly = 'On chain, but not recorded by this service';
export const publicOnly = 'Only in the public registry, which is open to everyone';

interface RegisteredHeadline {
  /** Undefined when it is not named. */
  readonly mark: string | undefined;
  /** Confirmed by sources other than the service. */
  readonly isVerified: boolean;
  readonly isContested: boolean;
  /** `stated`: that it is a signed copy is the service's word, whatever else is verified. */
  readonly copy: 'none' | 'stated' | 'shown';
}
const byService = ', according to this service';
export const registered = ({ mark, isVerified, isContested, copy }: RegisteredHeadline) => {
  // That a Mark is private is never more than the service's word.
  const unnamed = isVerified ? 'a Mark that is not named' : 'a private Mark';
  const under = `under ${mark === undefined ? unnamed : `the Mark “${mark}”`}`;
  // Claims are the service's word, too.
  const contested = isContested ? `; contested${isVerified ? byService : ''}` : '';
  const whose = isVerified ? '' : byService;
  if (copy === 'none') return `Registered ${under}${contested}${whose}`;
  if (copy === 'stated') return `Registered ${under}${contested}; a signed copy${byService}`;
  return `Signed copy of a file registered ${under}${contested}${whose}`;
};
/** Each part is a sentence without its period. */
export const headline = (parts: readonly string[]) => parts.join('. ');
export const headlineLookalikes = (count: number, isPicture: boolean) => {
  const verb = isPicture ? 'look' : 'sound';
  return count === 1 ? `A registered file ${verb}s like it` : `${formatNumber(count)} registered files ${verb} like it`;
};

// The file.

export const thumbnail = 'Your file';
export const shownFromDevice = 'Shown from your device. It was not uploaded.';
export const noThumbnail = 'Not shown: this picture is too large, or this browser cannot decode it.';
export const fileNameAndSize = (name: ReactNode, size: string) => (
  <>
    {name}, {size}
  </>
);

// What was found.

export const findings = 'What was found';
export const exactMatch = 'Exact match here';
export const credentials = 'Content Credentials';
export const lookalikes = 'Look-alikes';
export const claims = 'Claims';
export const states = explanations.findingStates;
export const tryAgain = 'Try again';

export const registeredUnder = (mark: ReactNode, at: ReactNode) => (
  <>
    Registered under the Mark {mark} since {at}, according to this service.
  </>
);
export const registeredPrivately = (at: ReactNode) => (
  <>Registered under a private Mark since {at}, according to this service.</>
);
export const registrationFailed = (at: ReactNode) => (
  <>A registration was attempted on {at}, but did not reach the chain, according to this service.</>
);
export const copyOf = (original: ReactNode) => <>It is a signed copy of {original}, which has another fingerprint.</>;
export const theRegisteredFile = 'the registered file';
export const confirmedIndependently =
  'Exactly this file is registered: your browser confirmed it independently of this service. See the facts below.';
export const doNotRely = 'The sources disagree about this file: do not rely on what this service says about it.';
export const chainEntries = explanations.chainEntries;
export const exactNotFound = explanations.matches.none;
export const exactIsCopy = (original: ReactNode) => (
  <>
    Exactly this file is not registered: it is the card or a signed copy of {original}, as the signed manifest in it
    says.
  </>
);

export const claimsNone = explanations.claims.none;
export const claimsConcededTo = (mark: ReactNode) => <>The Mark’s admin conceded this file to the Mark {mark}.</>;
export const readClaims = 'Read the claims';
export const claimsNeedRegistration = explanations.claims.notRegistered;
export const claimsAtOriginal = (original: ReactNode) => <>Claims are made to {original}: see there.</>;
export const claimsUnknown = explanations.claims.unknown;
export const contestedLookalikes = (count: number) =>
  count === 1
    ? 'One of the look-alikes below is contested.'
    : `${formatNumber(count)} of the look-alikes below are contested.`;

// Below what was found.

export const openArtifact = 'Open its page to share or print it';
export const print = 'Print this result';
export const chainBehind = explanations.chainBehind;
export const chainUnavailable = 'The chain is unavailable at the moment and may have an entry for this file.';
export const learnedBySearch = (prefix: string) =>
  `${explanations.disclosedBySearch} It also knows how its fingerprint starts: ${prefix}.`;

// The registration.

export const registrationDetails = 'Registration, and what it proves';
export const fingerprintDetails = 'Fingerprint, and what this proves';
export const contradictionTitle = 'Do not rely on this result';
export const contradictionText =
  'The service, the chain and the signed manifest disagree about this file. See below for details.';
export const provenHeadings = {
  verified: 'Confirmed independently of this service',
  consistent: 'Confirmed independently of this service',
  contradicted: 'What is not disputed',
};
export const disputed = 'What this service states (disputed)';
export const onlyService = 'What only this service says';
export const signedCopyOf = 'Signed copy of';
export const copySigned = (original: ReactNode, at: ReactNode) => (
  <>
    {original}, signed {at}
  </>
);
export const chainAccount = 'Chain account';
export const fingerprint = 'Fingerprint';

export const proofs = {
  namesOriginal: 'The signed manifest in your file names a registered file.',
  notFound: 'As far as this service knows, exactly this file is not registered.',
  curated: 'The curated registry on chain has an entry for exactly this file, but this service has no record of it.',
  public: 'The chain account knew the fingerprint of this file when it wrote the entry.',
  copy: 'This service states that it made exactly this file as a signed copy of a file that was registered under this Mark at that time.',
  copyOnChain:
    'This service states that it made exactly this file as a signed copy of a file that was registered under this Mark at that time, and that it is on chain.',
  underYourRoots: 'Its signer leads to the roots that you named.',
  allFromService: 'All of it comes from this service.',
  checkBelow: 'You can check this yourself below.',
};
/** `sources` as in "the chain and the signed manifest". The public log does not prove a time. */
export const confirmedBy = (
  sources: string,
  { isOne, isDated, isCopy }: Readonly<Record<'isOne' | 'isDated' | 'isCopy', boolean>>,
) =>
  `Your browser checked: ${sources} ${isOne ? 'shows' : 'show'} that exactly this file was registered${isDated ? ' then' : ''}${isCopy ? ' as a signed copy' : ''}, with these facts.`;
export const limits = {
  firstIsNotMaker: 'Registering a file first does not mean having made it or holding rights to it.',
  mayExistElsewhere: 'The file may exist elsewhere, or be registered elsewhere.',
  notWhoMade: 'It does not prove who made the file.',
  openToEveryone: 'The public registry is open to everyone: an entry does not prove who made the file.',
  otherFingerprint: 'The registered file itself has a different fingerprint.',
};

// Several files.

export const fileCount = (count: number) => (count === 1 ? '1 file' : `${formatNumber(count)} files`);
export const showMore = (count: number) =>
  count === 1 ? 'Show 1 more file' : `Show ${formatNumber(count)} more files`;
interface Counts {
  readonly registered: number;
  readonly onChain: number;
  readonly notFound: number;
  readonly copies: number;
  readonly credentials: number;
  readonly failed: number;
  readonly stopped: number;
}
export const counts = ({ registered, onChain, notFound, copies, credentials, failed, stopped }: Counts) => {
  const parts = [
    `${registered} registered`,
    ...(onChain > 0 ? [`${onChain} only on chain`] : []),
    ...(copies > 0 ? [copies === 1 ? '1 card or signed copy' : `${copies} cards or signed copies`] : []),
    `${notFound} not registered here`,
    ...(failed > 0 ? [`${failed} could not be checked`] : []),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
  ];
  const inside = credentials > 0 ? ` Content Credentials are in ${credentials} of those without an exact match.` : '';
  return `${parts.join(', ')}.${inside}`;
};
export const checkedOf = (done: string, all: string) => `${done} of ${all} checked`;
export const progressSentence = (checked: ReactNode, sentence: string) => (
  <>
    {checked}: {sentence}
  </>
);
export const allChecked = (sentence: string) => `All files checked: ${sentence}`;
export const filesChecked = 'Files checked';
export const stop = 'Stop';
export const retryFailed = 'Retry failed';
export const filesGone = 'These files are no longer available. Choose them again.';
export const fingerprintComputed = 'Fingerprint computed';
export const computing = (percent: number) => `Computing fingerprint: ${percent} %`;
export const stopped = 'Stopped';
export const waiting = 'Waiting';
export const lookingUpFingerprint = (fingerprint: ReactNode) => <>Looking up … {fingerprint}</>;
export const fileLost = 'The page was reloaded before this file was read. Choose it again.';
export const fileUnreadable =
  'This file cannot be read: it was changed or removed after you chose it, or it is a folder.';
