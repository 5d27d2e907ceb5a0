// Texts of the components that several pages share.

import type { ReactNode } from 'preact/compat';
import { formatNumber } from '../../../ui/text/format.js';

export const loading = (what: string) => `Loading ${what} …`;
export const loadingMore = (what: string) => `Loading more ${what} …`;
export const cancel = 'Cancel';
export const pleaseWait = 'Please wait …';
export const tryAgain = 'Try again';
export const tryingAgain = 'Trying again …';
export const confirmQuestion = (verb: string, name: ReactNode) => (
  <>
    {verb} {name}?
  </>
);
export const verbAndName = (verb: string, name: string) => `${verb} ${name}`;

export const copy = 'Copy';
export const copied = 'Copied';
export const copyFailed = 'Copy failed';
export const copyWhat = (what: string) => `Copy ${what}`;
export const fingerprint = 'fingerprint';

export const password = 'Password';
export const show = 'Show';
export const hide = 'Hide';
export const showPassword = (label: string) => `Show ${label.toLowerCase()}`;
export const hidePassword = (label: string) => `Hide ${label.toLowerCase()}`;

export const brokenPage = {
  title: 'This page could not be displayed',
  text: 'Something went wrong, or part of the page could not be loaded. No data was changed.',
  reload: 'Reload page',
};

// States of Artifacts.

export const statuses = {
  onChain: { label: 'On chain', sentence: 'Permanently registered on chain. It cannot be changed or removed.' },
  pending: { label: 'Pending', sentence: 'Recorded by this service and waiting to be written to the chain.' },
  submitting: { label: 'Submitting', sentence: 'Recorded by this service and being written to the chain.' },
  failed: {
    label: 'Failed',
    sentence: 'It could not be written to the chain. The file can be registered again.',
  },
};

// Facts of Artifacts.

export const factNames = {
  mark: 'Mark',
  identity: 'Identity',
  possession: 'Possession',
  authorship: 'Authorship',
  registeredBy: 'Registered by',
  registered: 'Registered',
  attempted: 'Attempted',
  status: 'Status',
  license: 'License',
  aiPreference: 'AI preference',
};
export const privateMark = 'Private: name, author, license and preferences are visible to its members only.';
export const verifiedAtRegistration = (domain: string) => `${domain}: verified when this file was registered`;
export const verifiedLater = (domain: string, day: ReactNode) => (
  <>
    {domain}: verified since {day}, after this file was registered
  </>
);
export const verifiedUntil = (domain: string, day: ReactNode) => (
  <>
    {domain}: verified when this file was registered, until {day}
  </>
);
export const exactCopiesOnly =
  'Copies that were edited, cropped or saved again have different fingerprints and are not covered.';
export const proves = 'What this proves';
export const doesNotProve = 'What this does not prove';
export const recordProof = 'This service states that exactly this file was registered under this Mark at that time.';
export const recordProofOnChain =
  'This service states that exactly this file was registered under this Mark at that time, and that it is on chain.';
export const firstIsNotMaker = 'Registering a file first does not mean having made it or holding rights to it.';
export const noPreference = 'No preference stated.';
export const aiUse = (use: string, permission: string) => `${use}: ${permission}`;
export const notSpecified = 'not specified';

export const randomartCaption = 'Randomart: identical files have the same picture.';
export const randomartOf = (digits: string) => `Randomart of the fingerprint ${digits}…`;
export const registerHint = (link: (text: string) => ReactNode) => (
  <>
    This service does not know who made this file. If you made it, or may speak for its maker, you can{' '}
    {link('register it')}.
  </>
);
export const copyFormats = (formats: Iterable<string>, mebibytes: number) =>
  `${new Intl.ListFormat('en-US').format(formats)} images of up to ${mebibytes} MiB`;

// Claims.

export const isContested = 'This registration is contested';
export const concededTo = (mark: ReactNode) => <>The Mark’s admin conceded this file to the Mark {mark}</>;

// Marks.

export const closedMark = {
  title: 'This Mark is closed',
  text: "Its owner's account is closed. No files can be registered under it. Registered files are not affected.",
};
const artifactCount = (count: number) => (count === 1 ? '1 Artifact' : `${formatNumber(count)} Artifacts`);
export const similarNames = (count: number) =>
  count === 1 ? '1 similar name' : `${formatNumber(count)} similar names`;
export const sinceWithCount = (day: ReactNode, count: number) => (
  <>
    since {day} · {artifactCount(count)}
  </>
);
export const isClosed = 'closed';
export const freeName = 'Anyone can choose this name.';
export const markCreated = 'Mark created';
export const createdWithCount = (day: ReactNode, count: number) => (
  <>
    {day}, {artifactCount(count)}
  </>
);
export const similarNamesFact = 'Similar names';
export const representedBy = 'Represented by';
export const asAdminStates = 'as its admin states';
export const domainMeaning = 'The owner of this domain names the Mark.';
export const verifiedDomain = 'Verified domain';
export const domainMethods = { dns: 'DNS record', file: 'file on its website' };
export const domainChecked = (method: string, since: ReactNode, lastChecked: ReactNode) => (
  <>
    {method}, verified since {since}, last checked {lastChecked}
  </>
);
export const marks = 'Marks';
export const nowCalled = (registered: ReactNode, name: ReactNode) => (
  <>
    {registered} (now called {name})
  </>
);

// On paper.

export const printedRows = (count: number) => `Printed are the ${count} rows that were on the screen.`;
export const printedFrom = (address: string) => `Printed from ${address}`;
