// Everything that users read, in English. What the registry states is called its statement, and nothing proven that was not
// checked here.

import { formatSize } from '@provenance-registry/web/ui/text/format.js';
import type { RefusalReason } from '../fileAddress.js';

export const extensionName = 'Provenance registry';

// The menu.

export const menuTitles = {
  image: 'Check this image in the registry',
  audio: 'Check this recording in the registry',
  link: 'Check the linked file in the registry',
};

// Times.

const times = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' });

const formatTime = (at: string) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : times.format(date);
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
export const tooLarge = (limit: string) => `The file is larger than ${limit}. It was not read to its end.`;
export const tooSlow = (limitMs: number) => `The file did not arrive within ${limitMs / 60_000} minutes.`;
export const interrupted = 'The connection was lost before the file was complete.';
export const badInline = 'The address does not contain a valid file.';
export const unreadable = 'The file cannot be read.';

// The panel: what was found.

export const rowTitles = {
  exact: 'Exact match',
  credentials: 'Content Credentials',
  lookalikes: 'Look-alikes',
  claims: 'Claims',
};
export const announcement = (title: string, state: string) => `${title}: ${state}`;

export const fingerprintMeaning = 'SHA-256 of exactly these bytes, computed in this browser.';

export const according = (registry: string) => `According to ${registry}:`;
export const openArtifact = 'Open its page in the registry';
export const firstIsNotMaker =
  'All of this is the registry’s statement. Registering a file first does not mean having made it. Its page checks chain and signature.';
export const copyOfRegistered =
  'The signed manifest in it says that it is the card or a signed copy of a registered file.';
export const openOriginal = 'Look up the registered file';

export const readClaims = 'Read the claims';

export const readingCredentials = 'Reading the file …';
export const signedAt = (at: string) =>
  `Signed ${formatTime(at)}, by a time-stamp under the root certificates that the registry publishes.`;
export const signersWord = 'What they state is the signer’s word.';
export const sourceTypes = 'How it was made, according to the signer:';
export const verifiedDomains = (domains: string) => `Domains that the registry says it had verified: ${domains}`;

export const computingHashes = 'Computing what it looks or sounds like …';
export const search = { image: 'Search for this picture', audio: 'Search for this recording' };
export const searchHint = {
  image:
    'Not searched for until you ask. A search sends the visual fingerprint below, not the picture. By it the registry learns which registered files it resembles.',
  audio:
    'Not searched for until you ask. A search sends the audio fingerprint below, not the sound. By it the registry learns which registered files it resembles.',
};
export const hashes = { image: 'Visual fingerprint, computed here', audio: 'Audio fingerprint, computed here' };
export const chromaprint = 'Chromaprint';
export const turnedHashes = (count: number) => `A search sends ${count} pairs: as it is, turned and mirrored.`;
export const notCompared = (reason: string) => `Not compared: ${reason}.`;
export const searching = 'Searching …';

// What the registry learned.

export const learned = 'What the registry learned';
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
