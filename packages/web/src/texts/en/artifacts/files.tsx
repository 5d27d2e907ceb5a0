// Texts of "My files".

import { formatNumber, pluralize } from '../../../ui/text/format.js';

export const title = 'My files';
export const lead = 'All files that are registered under your Marks, and under Marks that you can register for.';
export const files = 'files';

export const searchLabel = 'Search by file name';
export const markLabel = 'Mark';
export const allMarks = 'All Marks';
export const statusLabel = 'Status';
export const statuses = [
  { id: '', name: 'Any status' },
  { id: 'submitted', name: 'On chain' },
  { id: 'pending', name: 'Pending' },
  { id: 'submitting', name: 'Submitting' },
  { id: 'failed', name: 'Failed' },
] as const;
export const kindLabel = 'Kind';
export const kinds = [
  { id: '', name: 'Any kind' },
  { id: 'image', name: 'Images' },
  { id: 'audio', name: 'Audio' },
  { id: 'video', name: 'Video' },
  { id: 'document', name: 'Documents' },
  { id: 'other', name: 'Other files' },
] as const;
export const sortLabel = 'Sort by';
export const sorts = [
  { id: 'newest', name: 'Newest first' },
  { id: 'oldest', name: 'Oldest first' },
  { id: 'name', name: 'File name' },
] as const;
export const fromLabel = 'Registered from';
export const toLabel = 'Registered until';
export const moreFilters = 'More filters';
export const clearFilters = 'Clear filters';

export const isEmpty = 'You have not registered any files yet.';
export const registerFiles = 'Register files';
export const hasNoMatch = 'No files match these filters.';

export const unnamed = 'Unnamed file';
export const privateDetails = 'Private details';
export const signedCopies = (number: number) => pluralize(number, 'signed copy', 'signed copies');
export const select = (name: string) => `Select ${name}`;

export const selectShown = 'Select all loaded files';
export const selectMatching = 'Select all matching files';
export const selecting = (number: number) => `Selecting: ${pluralize(number, 'file')} so far …`;
export const selectedTooMany = (limit: number) =>
  `The first ${formatNumber(limit)} files are selected, which is the most at a time.`;
export const selectedCount = (number: number) => `${formatNumber(number)} selected`;
export const shownCount = (number: number) => pluralize(number, 'file');
export const shownSoFar = (number: number) => `${pluralize(number, 'file')} loaded`;
export const clearSelection = 'Clear';
export const actions = 'Actions for the selected files';

export const exportCsv = 'Export CSV';
export const exportJson = 'Export JSON';
export const exporting = (number: number) => `Exporting: ${pluralize(number, 'file')} so far …`;
export const exported = (number: number, filename: string) => `${pluralize(number, 'file')} exported to ${filename}.`;
export const exportCanceled = 'Export canceled. Nothing was downloaded.';
export const cancel = 'Cancel';
export const close = 'Close';

/** The first line of the CSV file. */
export const csvColumns = [
  'File name',
  'Fingerprint',
  'Status',
  'Registered (UTC)',
  'Mark',
  'Mark ID',
  'Kind',
  'Media type',
  'Size in bytes',
  'License',
  'Details',
  'Stated authorship',
  'Signed copies',
  'Transaction',
  'Link',
];
export const csvYes = 'yes';
export const csvNo = 'no';

export const makeBundles = 'Evidence bundles';
export const makeCopies = 'Signed copies';
export const changeVisibility = 'Visibility';
export const copyLinks = 'Copy links';
export const contactSheet = 'Contact sheet';
export const linksCopied = (number: number) => `${pluralize(number, 'link')} copied.`;
export const copyFailed = 'Your browser did not allow copying.';
export const sheetTooLong = (limit: number) =>
  `A contact sheet shows at most ${formatNumber(limit)} files. Select fewer, or make several.`;

export const progress = (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`;
export const done = 'Finished';
export const canceled = 'Canceled';
export const result = (counts: { done: number; failed: number; skipped: number; left: number }) =>
  [
    `${formatNumber(counts.done)} done`,
    counts.failed > 0 && `${formatNumber(counts.failed)} failed`,
    counts.skipped > 0 && `${formatNumber(counts.skipped)} skipped`,
    counts.left > 0 && `${formatNumber(counts.left)} not started`,
  ]
    .filter((part) => part !== false)
    .join(', ');
export const retryFailed = (number: number) => `Retry ${formatNumber(number)} failed`;
export const failedLabel = 'Failed';
export const skippedLabel = 'Skipped';
export const noteLabel = 'Note';
export const moreResults = (number: number) => `And ${pluralize(number, 'more file')}.`;

export const bundlesTitle = 'Evidence bundles';
export const bundlesLead =
  'Each bundle is a file that proves one registration without this service: the signed manifest, the metadata and the proof of the entry on chain.';
export const bundleWithoutProof =
  'Without a proof of the entry on chain: the file is not on chain yet, or this service names no node. Make the bundle again later.';
export const failedHasNoBundle = 'The registration failed, so there is nothing to prove.';
export const bundlesArchive = 'evidence-bundles.zip';

export const copiesTitle = 'Signed copies';
export const copiesLead = (formats: string, limit: number) =>
  `Choose the original files of your selection. Your browser matches them by their fingerprints, sends only files that match, and downloads the signed copies in a ZIP archive. This service processes files in memory and does not store them. Possible for ${formats}. Each file can have at most ${limit} signed copies.`;
export const chooseOriginals = 'Choose the original files';
export const notSelected = 'Not one of the selected files. It was not sent.';
export const noCopyOfType = 'Files of this type or size cannot have a signed copy. It was not sent.';
export const copiesUsedUp = (limit: number) =>
  `It has ${limit} signed copies already, which is the most that a file can have. It was not sent.`;
export const copyOfFailed = 'The registration failed. It was not sent.';
export const notChosen = (number: number) =>
  `${pluralize(number, 'selected file was', 'selected files were')} not among the files that you chose.`;
export const copiesArchive = 'signed-copies.zip';

export const visibilityTitle = 'Who can see the details of these files?';
export const visibilityLegend = 'Name, size and perceptual hashes';
export const publicLabel = 'Public';
export const publicHint = 'Shown to everyone who can see the Mark. What others have seen cannot be taken back.';
export const privateLabel = 'Private';
export const privateHint = 'Shown by this service to members of the Mark only.';
export const whatStays = (
  <>
    <strong>What is already published stays:</strong> manifests, reports, cards and signed copies keep the names that
    were signed, and anyone with their address can read them. Entries on chain stay as they are.
  </>
);
export const visibilityScope = (number: number) =>
  `Applies to ${pluralize(number, 'selected file')}. Only the admin of a Mark can change this.`;
export const makePublic = 'Make public';
export const makePrivate = 'Make private';
export const visibilityTask = { public: 'Making details public', private: 'Making details private' } as const;
export const notAdmin = 'Only the admin of the Mark can change this.';

export const statusUpdated = 'The status of files in the list has changed.';
export const showNew = 'Show new files';
