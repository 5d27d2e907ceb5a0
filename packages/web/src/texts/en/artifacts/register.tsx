// Texts of the page that registers files, and of its list.

import type { ReactNode } from 'preact/compat';
import { formatNumber, pluralize } from '../../../ui/text/format.js';

export const title = 'Register files';
export const lead =
  'Only fingerprints, names, types, sizes and modification dates are sent, and for public Marks codes of what pictures and recordings are like. Your files stay on this device unless you ask for signed copies.';
export const marks = 'Marks';
export const createMark = 'Create a Mark to register files under';
export const notPersistentTitle = 'This list will be lost on reload';
export const notPersistent =
  'Your browser blocks storage for this page, or its storage is full. Everything else works.';
export const markLabel = 'Mark';
export const markLocked = 'Registration is in progress. Pause it to choose another Mark.';
export const markHint = 'Registration is permanent: neither file nor Mark can be changed later.';

export const authorshipLabel = 'I made these files or may speak for their maker';
export const authorshipHint =
  'Your own statement, recorded with each file and shown to everyone. Without it, everyone sees that you did not state this. It cannot be changed later.';
export const sourceLabel = 'How the files were made';
export const sourceHint = 'Your own statement, which the signed manifest contains and which cannot be changed later.';
export const notSpecified = 'Not specified';
export const copiesLabel = 'Also give me signed copies';
export const copiesHint = (formats: string) =>
  `A signed copy has the manifest inside the file. To make it, the file is sent to this service, which processes it in memory and does not store it. Possible for ${formats}; all other files are registered by their fingerprint and not sent. Each file can have at most three signed copies.`;
export const codesLabel = 'Help find look-alikes of pictures and recordings';
export const codesPrivate = 'Not for private Marks: nothing about what their files look like is sent.';
export const codesHint =
  'Your browser computes four codes of 8 bytes of each picture, or the Chromaprint of a recording, and sends them with the fingerprint. They are recorded publicly as your word, others find your file by its copies, and you see here what looks like older files of others. Remembered in this browser.';

export const drop = 'Drop files or a folder here';
export const dropNow = 'Drop to add';
export const chooseFiles = 'Choose files';
export const chooseFolder = 'Choose a folder';
export const byFingerprint = 'Register a fingerprint without the file';
export const addToList = 'Add to list';
export const adding = 'Adding …';
export const fingerprintLabel = 'Fingerprint';
export const fingerprintHint = 'SHA-256 of the file: 64 hexadecimal digits, with or without 0x.';
export const filenameLabel = 'File name';
export const filenameMissing = 'Enter a file name, such as sunrise.jpg.';

export const states = {
  waiting: 'Waiting',
  hashing: 'Hashing',
  sending: 'Sending',
  pending: 'Pending on chain',
  submitting: 'Submitting to chain',
  submitted: 'On chain',
  failed: 'Failed',
  yours: 'Already yours',
  others: 'Registered by others',
  missing: 'Choose again',
} as const;

/** Isolates a name in a text. */
const isolate = (name: string) => `\u2068${name}\u2069`;
export const yours = (mark: string, isSignedCopy: boolean) =>
  isSignedCopy ? `Signed copy of a file under your Mark ${isolate(mark)}.` : `Under your Mark ${isolate(mark)}.`;
export const others = (mark: string | undefined, isSignedCopy: boolean) => {
  const name = mark === undefined ? 'a private Mark' : `the Mark ${isolate(mark)}`;
  return isSignedCopy
    ? `Signed copy of a file under ${name}. The first registration of a file stands.`
    : `Under ${name}. The first registration of a file stands.`;
};
export const willBeSent = 'Will be sent for a signed copy.';
export const willNotBeSent = 'By fingerprint: no signed copy of this type or size.';
export const underMark = (mark: ReactNode) => <>under {mark}</>;

export interface SummaryCounts {
  readonly files: number;
  readonly registered: number;
  readonly onChain: number;
  readonly yours: number;
  readonly others: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly waiting: number;
  readonly missing: number;
  readonly copies: number;
}
export const summary = (counts: SummaryCounts) => {
  const parts = [
    counts.registered > 0 && `${counts.registered} registered, ${counts.onChain} on chain`,
    counts.yours > 0 && `${counts.yours} already yours`,
    counts.others > 0 && `${counts.others} registered by others`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.inProgress > 0 && `${counts.inProgress} in progress`,
    counts.waiting > 0 && `${counts.waiting} waiting`,
    counts.missing > 0 && `${counts.missing} to choose again`,
    counts.copies > 0 && `${pluralize(counts.copies, 'signed copy', 'signed copies')} to download`,
  ];
  return `${pluralize(counts.files, 'file')}: ${parts.filter((part) => part !== false).join(', ')}`;
};
export const added = (counts: { added: number; alreadyListed: number; withoutRoom: number }) => {
  const { alreadyListed, withoutRoom } = counts;
  const parts = [
    `${pluralize(counts.added, 'file')} added.`,
    alreadyListed > 0 && `${pluralize(alreadyListed, 'file')} already in the list.`,
    withoutRoom > 0 &&
      `The list is full: ${pluralize(withoutRoom, 'file')} not added. Add the rest when these are done.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
};

export const files = 'Files';
export const filter = 'Filter';
export const filters = { all: 'All', inProgress: 'In progress', failed: 'Failed' } as const;
export const registeredFiles = 'Registered files';
export const withoutStatement = 'Without the statement that you made these files or may speak for their maker.';
export const pause = 'Pause';
export const register = (number: number) => `Register ${pluralize(number, 'file')}`;
export const retryFailed = (number: number) => `Retry ${number} failed`;
export const clearFinished = (number: number) => `Clear ${number} finished`;
export const comparing = (done: number, total: number) => `Comparing with registered files: ${done} of ${total}`;
export const notCompared = (number: number) =>
  `${pluralize(number, 'file')} could not be compared with registered ones. You can register ${
    number === 1 ? 'it' : 'them'
  } all the same.`;
export const toFiles = 'My files';
export const lastReceipt = (name: ReactNode) => (
  <>This is the receipt of {name}. The page of each other file has its own.</>
);
export const toSheet = (number: number) => `Contact sheet of ${pluralize(number, 'file')}`;

export const hashing = (filename: string) => `Hashing ${filename}`;
export const retry = 'Retry';
export const retryFile = (filename: string) => `Retry ${filename}`;
export const remove = 'Remove';
export const removeFile = (filename: string) => `Remove ${filename}`;
export const removeTitle = 'Remove without downloading?';
export const removeText = (filename: ReactNode) => (
  <>The signed copy of {filename} is only in this browser. The registration stays; another signed copy counts again.</>
);
export const looksLike = (link: (text: string) => ReactNode, mark: ReactNode, since: ReactNode, otherFiles: number) => (
  <>
    Looks like {link('a file')} of the Mark {mark}, registered since {since}
    {otherFiles > 0 && `, and like ${pluralize(otherFiles, 'other file')} of others`}.
  </>
);
export const view = (filename: ReactNode) => <>View{filename}</>;

export const signing = 'Signing a copy …';
export const chooseForCopy = 'Drop or choose this file again to get a signed copy.';
export const downloadCopy = 'Download signed copy';
export const downloadCopyAgain = 'Download signed copy again';
export const downloadCopyOf = (filename: string) => `Download signed copy of ${filename}`;
export const getCopy = 'Get a signed copy';
export const getCopyOf = (filename: string) => `Get a signed copy of ${filename}`;
export const sendsFile = 'sends the file';
export const downloadCopies = (number: number) => (number === 1 ? downloadCopy : `Download ${number} signed copies`);
export const packing = (number: number) => `Packing ${pluralize(number, 'file')} …`;
export const copyOnlyInTab = 'Download the signed copy before you close this page: your browser could not store it.';
export const copyLost = 'The signed copy was not saved before the page was closed. You can get another one.';
export const copyRevoked = 'Do not use a signed copy of this attempt: it is not registered either.';
export const noCopy = (reason: string) => `No signed copy: ${reason}`;
export const noCopyOfContent = 'No signed copy: the content is of a type that cannot hold a manifest.';
export const withoutCopy = 'To register it without a signed copy, turn signed copies off and retry.';

export const mayNotRegister = 'You can no longer register files under this Mark.';
export const markGone = 'This Mark no longer exists.';
export const rejected = 'The service rejected this file name or fingerprint.';
export const fileGone = 'The registry no longer has this file.';
export const unreadable = 'The file was changed or cannot be read anymore. Choose it again.';
export const hashingFailed = 'Hashing could not start. Check your connection, then try again.';

export const pausedTitle = 'Registration is paused';
export const pausedForLogin = 'It continues when you log in again.';
export const similarTitle = (number: number) =>
  `${pluralize(number, 'file')} in the list ${number === 1 ? 'looks' : 'look'} like files that others registered`;
export const similarText = (number: number) =>
  number === 1
    ? 'That does not say that they are the same, or who made them. If you made this file, or may speak for the maker, you can register it; the older Mark’s owner will see the resemblance.'
    : 'That does not say that they are the same, or who made them. If you made these files, or may speak for the maker, you can register them; the older Mark’s owner will see the resemblance.';
export const missingTitle = (number: number) => `Choose ${pluralize(number, 'file')} again`;
export const missingText = (number: number) =>
  number === 1
    ? 'The page was closed before it was hashed or sent, and browsers cannot store files. Drop or choose it again to continue.'
    : 'The page was closed before they were hashed or sent, and browsers cannot store files. Drop or choose them, or their folder, again to continue.';
export const unreachableTitle = 'The service cannot be reached';
export const unreachableText = 'Nothing is lost. Registration continues as soon as the service responds.';
export const tryNow = 'Try now';

export const limitReached = 'Limit reached';
export const limitReachedFor = (number: number) => `Limit reached: ${pluralize(number, 'file')} not registered`;
export const limitOfOwner = 'The owner of this Mark has reached the limit of their tier.';
export const onlySome = (number: number) => `Only ${formatNumber(number)} of these files can be registered now`;
export const staysInList = 'They stay in the list, also if you pause or close this page.';
export const someStay = (number: number) => `${pluralize(number, 'file')} will stay in the list.`;
export const viewTiers = 'View tiers';
export const leftInTotal = (left: number, limit: number) =>
  `${formatNumber(left)} of ${pluralize(limit, 'file')} in total left. This limit does not reset: choose another tier for more.`;
export const leftToday = (left: number, limit: number, reset: ReactNode) => (
  <>
    {formatNumber(left)} of {pluralize(limit, 'file')} left today. {reset}.
  </>
);
export const otherMarkLabel = 'Continue under a Mark of another owner';
export const otherMarkHint = 'Its owner has a limit of their own. The Mark of a registration cannot be changed later.';
export const markOfOwner = (mark: string, owner: string) => `${mark} (${owner})`;
export const chooseMark = 'Choose a Mark';
