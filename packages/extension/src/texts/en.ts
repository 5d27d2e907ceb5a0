// Everything that users read, in English. What the registry states is called its statement, and nothing proven that was not
// checked here.

import type { MissingCodes } from '@provenance-registry/client';
import type { ArtifactStatus, Lookalike } from '@provenance-registry/core';
import type { RefusalReason } from '../fileAddress.js';

const language = 'en-US';

export const extensionName = 'Provenance registry';

// The menu.

export const menuTitles = {
  image: 'Check this image in the registry',
  audio: 'Check this recording in the registry',
  link: 'Check the linked file in the registry',
};

// Numbers and times.

const integers = new Intl.NumberFormat(language);
const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' });
const sizeUnits = ['bytes', 'kB', 'MB', 'GB'];

export const formatTime = (at: string) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : times.format(date);
};
export const formatSize = (bytes: number) => {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), sizeUnits.length - 1);
  return `${decimals.format(bytes / 1000 ** power)} ${sizeUnits[power]}`;
};

// The panel: the file.

export const panelTitle = 'File check';
export const noRegistry = 'Choose a registry first';
export const noRegistryText =
  'Nothing was fetched and nothing was sent. Enter the address of the registry that you want to ask.';
export const registryReplaced = 'The registry in the options has changed. Nothing was asked since.';
export const checkAgain = 'Check again';
export const openOptions = 'Open options';
export const noRequest =
  'This check is over. Close this window and choose the file in the menu again, or choose a file here.';
export const addressTooLong =
  'This file is part of the page itself and too large to be passed on. Save it, then choose the saved file here.';
export const theFile = 'The file';
export const found = 'What was found';
export const chooseFile = 'Choose a file';
export const orChoose = 'Or save the file from the page, then choose the saved file here. It stays on this device.';
export const from = 'From';
export const address = 'Address';
export const type = 'Type';
export const size = 'Size';
export const name = 'Name';
export const fromDevice = 'this device. Nothing was fetched.';
export const fromPage = 'the page itself (a data: address). Nothing was fetched.';
export const fetchedFrom = (host: string) => `${host}, fetched by this extension without your cookies`;
export const afterRedirect = (host: string) =>
  `${host}, after a redirect, fetched by this extension without your cookies`;
export const statedType = (stated: string) => `${stated || 'none'}, according to the server`;
export const otherType = (stated: string, format: string) =>
  `${stated || 'none'}, according to the server; by its first bytes it is ${format}`;
export const notThatType = (stated: string) =>
  `${stated}, according to the server; by its first bytes it is no picture of a known format`;
export const typeByBytes = (format: string) => `${format}, by its first bytes`;
export const unknownType = 'not recognized';
export const formats = { jpeg: 'JPEG', png: 'PNG', gif: 'GIF', webp: 'WebP', bmp: 'BMP', heif: 'HEIF or AVIF' };
export const preview = 'The fetched file';
export const mayDiffer =
  'All answers are about these bytes. Servers can send other bytes than those that the page shows, for example another size or format: compare the picture.';
export const mayDifferUnseen =
  'All answers are about these bytes. Servers can send other bytes than those that the page plays or links to.';
export const isWebPage = 'This is a web page. Its bytes often differ from one visit to the next.';

export const fetching = (host: string) => `Fetching from ${host} …`;
export const readingInline = 'Reading the file …';
export const received = (bytes: number, total: number | undefined) =>
  total === undefined ? formatSize(bytes) : `${formatSize(bytes)} of ${formatSize(total)}`;
export const hashing = (bytes: number, total: number) =>
  `Computing the fingerprint: ${total === 0 ? 100 : Math.floor((100 * bytes) / total)} %`;
export const progress = 'Progress';
export const stop = 'Stop';
export const stopped = 'Stopped. Nothing was asked.';
export const tryAgain = 'Try again';

export const notFetched = 'The file was not fetched';
export const notRead = 'The file could not be read';
const saveIt = 'Save it from the page, then choose the saved file here.';
export const refusals: Readonly<Record<RefusalReason, string>> = {
  blob: `This file exists only inside the page (a blob: address), where extensions cannot read it. ${saveIt}`,
  file: 'This is a file on your device. Choose it here.',
  scheme: 'This is not the address of a file.',
  credentials: `The address contains a user name or a password. ${saveIt}`,
  private:
    'The page refers to an address in your own network or on your own machine. Pages must not make this extension send requests there.',
};
export const redirects = (host: string) =>
  `${host} redirects to another address. Where it leads is known only after following it.`;
export const follow = 'Follow the redirect';
export const redirectRefused = (reason: RefusalReason) =>
  `After a redirect: ${refusals[reason]} Nothing of it was read.`;
export const redirectKeptAway = (host: string) =>
  `The address to which ${host} redirects does not let other sites read the file (CORS), or cannot be reached. Browsers do not tell which. ${saveIt}`;
export const keptAway = (host: string) =>
  `${host} does not let other sites read this file (CORS), or it cannot be reached. Browsers do not tell which.`;
export const allowHost = (host: string) => `Allow access to ${host}`;
export const allowHostHint =
  'Chromium then asks you. You can take it back in the details of this extension, under “Site access”.';
export const notAllowed = 'Access was not allowed.';
export const unreachable = (host: string) => `${host} cannot be reached.`;
export const status = (host: string, code: number) =>
  `${host} responded with status ${code}, not with the file. This extension sends no cookies: the file may be for logged-in users. ${saveIt}`;
export const tooLarge = (limit: number) => `The file is larger than ${formatSize(limit)}. It was not read to its end.`;
export const tooSlow = (limitMs: number) => `The file did not arrive within ${limitMs / 60_000} minutes.`;
export const interrupted = 'The connection was lost before the file was complete.';
export const badInline = 'The address does not contain a valid file.';
export const unreadable = 'The file cannot be read.';

// The panel: what was found.

export const states = {
  checking: 'Checking …',
  computed: 'Computed here',
  found: 'Found',
  /** Found, but no good news by itself. */
  noted: 'Found',
  notFound: 'Not found',
  notChecked: 'Not checked',
  failed: 'Could not check',
  invalid: 'Not valid',
  contested: 'Contested',
  changed: 'Registry changed',
};
export type State = keyof typeof states;

export const rowTitles = {
  fingerprint: 'Fingerprint',
  exact: 'Exact match',
  credentials: 'Content Credentials',
  lookalikes: 'Look-alikes',
  claims: 'Claims',
};
export const announcement = (title: string, state: string) => `${title}: ${state}`;

export const fingerprintMeaning = 'SHA-256 of exactly these bytes, computed in this browser.';

export const according = (registry: string) => `According to ${registry}:`;
export const registered = 'Registered';
export const registrationFailed = 'A registration was attempted, but did not reach the chain.';
export const mark = 'Mark';
export const privateMark = 'a private Mark, which is not named';
export const identity = 'Identity';
export const chainStatus = 'Chain';
export const chainStatuses: Readonly<Record<ArtifactStatus, string>> = {
  pending: 'not entered yet',
  submitting: 'being entered',
  submitted: 'entered',
  confirmed: 'entered',
  failed: 'not entered',
};
export const signedCopy = 'This is a signed copy of the registered file.';
export const openArtifact = 'Open its page in the registry';
export const firstIsNotMaker =
  'All of this is the registry’s statement. Registering a file first does not mean having made it. Its page checks chain and signature.';
export const exactNotFound =
  'Exactly this file is not registered, as far as the registry knows. Copies that were edited, cropped or saved again have other fingerprints.';
export const chainBehind =
  'The registry has not read the latest blocks of the chain, which may have an entry for this file.';
export const onChainOnly = {
  curated:
    'The curated registry on chain has an entry for it that this service did not record, according to the registry.',
  public: 'The public registry on chain has an entry for it, according to the registry. Everyone can write there.',
};
export const copyOfRegistered =
  'The signed manifest in it says that it is the card or a signed copy of a registered file.';
export const openOriginal = 'Look up the registered file';

export const claimsNone = 'No open claim to this registration, according to the registry.';
export const claimsNeedRegistration = 'Claims are made to registrations, and exactly this file has none there.';
export const claimsUnknown = 'Not known, because the registration could not be looked up.';
export const readClaims = 'Read the claims';

export const readingCredentials = 'Reading the file …';
export const noCredentials =
  'There are none in this file. Most files have none, and many programs and websites remove them.';
export const unreadableCredentials = 'The manifest cannot be read.';
export const invalidCredentials =
  'The file or its manifest was changed after it was signed, or never fit together. Do not rely on what they state.';
export const byRegistry =
  'Signed by the registry, according to the root certificates that it publishes. Unchanged since it was signed.';
export const untrustedSigner =
  'The signature is intact, but this browser knows of no reason to trust the name in it. The signer calls itself:';
export const unnamedSigner = 'The signature is intact, but names no signer.';
export const signedAt = (at: string, isTrusted: boolean) =>
  isTrusted
    ? `Signed ${formatTime(at)}, by a time-stamp under the root certificates that the registry publishes.`
    : `It says that it was signed ${formatTime(at)}: nothing shows that this time is true.`;
export const signersWord = 'What they state is the signer’s word.';
export const noSigningTime = 'It does not show when it was signed.';
export const sourceTypes = 'How it was made, according to the signer:';
export const versions = (count: number) =>
  count === 1 ? 'The history in it has one version.' : `The history in it has ${integers.format(count)} versions.`;
export const verifiedDomains = (domains: string) => `Domains that the registry says it had verified: ${domains}`;

export const computingCodes = 'Computing codes …';
export const search = { image: 'Search for this picture', audio: 'Search for this recording' };
export const searchHint = {
  image:
    'Not searched for until you ask. A search sends the codes below, not the picture. By them the registry learns which registered files it resembles.',
  audio:
    'Not searched for until you ask. A search sends the Chromaprint below, not the sound. By it the registry learns which registered files it resembles.',
};
export const codes = 'Codes, computed here';
export const chromaprint = 'Chromaprint';
export const turnedCodes = (count: number) => `A search sends ${count} pairs: as it is, turned and mirrored.`;
export const searching = 'Searching …';
export const searchAgain = 'Search again';
export const missingCodes: Readonly<Record<MissingCodes, string>> = {
  unsupported: 'Only pictures and recordings are compared, and not in all formats.',
  'too-large': 'Not compared: the file is larger than 32 MiB or 100 megapixels.',
  featureless: 'Not compared: the file has too little in it.',
  unreadable: 'Not compared: this browser cannot decode the file.',
  'no-decoder': 'Not compared: this browser cannot decode the file.',
};
export const noLookalikes = 'No look-alike found. Files of private Marks, heavy crops and heavy edits are not found.';
export const lookalikesFound = (count: number, kind: Lookalike['kind']) => {
  const verb = kind === 'image' ? 'look' : 'sound';
  return count === 1
    ? `One registered file ${verb}s like it.`
    : `${integers.format(count)} registered files ${verb} like it, the closest first.`;
};
const grades = { 'near-identical': 'Nearly identical', similar: 'Similar' };
export const closeness = ({ grade, distance }: Pick<Lookalike, 'grade' | 'distance'>) =>
  `${grades[grade]}: ${distance} of 64 bits differ`;
export const unnamedMark = 'a Mark that is not named';
export const contestedLookalike = 'Contested';
export const lookalikeLimits =
  'Different works can have close codes, and codes can be made to match: a look-alike does not prove that it is the same work, or who made it.';

// What the registry learned.

export const learned = 'What the registry learned';
export const learnedCodes = 'By the codes it learned what the file is like.';
export const nothingAsked = 'Nothing: it was not asked about this file.';
export const askedIdentity = 'It was asked who it is, and nothing about this file.';

// The registry.

export const registry = 'Registry';
export const changeRegistry = 'Options';
export const changedTitle = 'The registry is not the one that you confirmed';
export const changedText =
  'Its identity has changed: another party may respond at its address, or the operator has changed its keys. It was asked nothing about this file, and nothing that it says is shown.';
export const pinned = 'Confirmed';
export const now = 'Now';
export const errors = {
  unreachable: 'The registry cannot be reached.',
  unavailable: 'Part of the registry is temporarily unavailable. Try again soon.',
  invalid: 'The registry sent an invalid response.',
  other: 'Something went wrong.',
};

// The options.

export const optionsTitle = 'Registry to ask';
export const optionsIntro =
  'Right-click an image, a recording or a link on any page to check the file. Nothing is sent to anyone before you do that, and before you have confirmed a registry here.';
export const current = 'Confirmed registry';
export const none = 'None yet.';
export const removeRegistry = 'Remove this registry';
export const baseUrl = 'Address of the registry';
export const baseUrlHint = 'Such as https://registry.example. Unencrypted addresses only in your own network.';
export const badBaseUrl = 'Enter an address that starts with https://, or one in your own network.';
export const readIdentity = 'Show who it is';
export const readingIdentity = 'Asking …';
export const says = (address: string) => `${address} says about itself`;
export const registryName = 'Name';
export const chain = 'Chain';
export const contract = 'Contract';
export const since = 'Since';
export const signerRoots = 'Signer root';
export const fingerprint = 'Fingerprint';
export const compare =
  'Compare the fingerprint with a source other than this address: printed matter, the operator’s website on another host, or a person you trust. If you have none, the extension still notices when it changes later.';
export const confirm = 'Use this registry';
export const confirmed = 'Saved. Files are now looked up there when you ask for it.';
export const removed = 'Removed. No file is looked up until you confirm a registry.';
export const identityChanged =
  'This is not the identity that you confirmed for this address before. Ask the operator through another channel what has changed.';
