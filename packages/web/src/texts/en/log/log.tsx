// Texts about the public log: the page about it, and the receipt on the page of an Artifact.

import type { ReactNode } from 'preact/compat';

// The receipt of an Artifact.

export const inLog = 'In the public log';
export const readingReceipt = 'Reading the receipt …';
export const log = 'Log';
export const aboutLog = 'About the log';
export const place = 'Place';
export const leafOf = (index: string, size: string) => `Leaf ${index}, under a signed checkpoint of ${size} leaves`;
export const loggedAt = 'Logged, by its own clock';
export const cosignedBy = 'Seen by';
export const cosignature = (name: ReactNode, time: ReactNode) => (
  <>
    {name} at {time}, by its own clock
  </>
);
export const anchored = 'Anchored on chain';
export const inLogBefore = (block: string, time: ReactNode) => (
  <>
    In the log before block {block}, {time}
  </>
);
export const anchoredByWord = (block: string, time: ReactNode) => (
  <>
    In block {block}, {time}, according to this service
  </>
);
export const checkedHere = 'Checked in your browser';
export const hiddenTerms = 'The Mark is private: the log has a hash in place of Mark, license and AI preferences.';
export const noReceipt = 'No receipt yet';
export const noReceiptText = 'The log takes in a registration within seconds. Its receipt will be here then.';
export const checkAgain = 'Check again';
export const badReceipt = 'The receipt does not hold';
export const downloadReceipt = 'Download the receipt';
export const downloadLeaf = 'Download the leaf';
export const receiptNote =
  'Receipt and leaf together prove the place in the log, to anyone who knows the key of the log, without this service.';

// The page.

export const title = 'The public log';
export const lead =
  'Every registration, in the order in which it was made, in a log that only grows. Its checkpoints are signed: a log that drops or changes an entry contradicts its own checkpoint, and every receipt would show it.';
export const reading = 'the log';
export const noLog = 'This registry has no public log yet.';
export const now = 'Now';
export const size = 'Leaves';
export const origin = 'Name';
export const key = 'Key';
export const copyKey = 'key of the log';
export const cosignedAgo = (name: ReactNode, time: ReactNode, age: string) => (
  <>
    {name} at {time} ({age}), by its own clock
  </>
);
export const notCosigned = (name: ReactNode) => <>{name} has not signed this checkpoint</>;
export const lastAnchor = 'Last anchor on chain';
export const anchoredAgo = (size: string, block: string, time: ReactNode, age: string) => (
  <>
    {size} leaves in block {block}, {time} ({age})
  </>
);
export const anchorIsStated =
  'The word of this service. With a node of your own, the page of a file checks the anchor that covers it.';
export const checks = 'Checked in your browser';
export const checked = 'The signature of the checkpoint, and that the newest leaves are in the tree that it signs.';
export const keyIsYours = 'The key is one that you named, or for which your roots vouch.';
export const keyIsStated =
  'The key is the word of this service. Compare it with one that you have from elsewhere, such as an earlier receipt.';
export const failed = 'The log does not hold';
export const failedText =
  'Do not rely on it. Keep its checkpoint, and compare it with what others have: a log that is not the same for all is what receipts show.';
export const checkpoint = 'Checkpoint';
export const checkpointText = 'Name of the log, number of leaves, root of the tree, and the signatures.';
export const copyCheckpoint = 'checkpoint';
export const newest = 'Newest leaves';
export const leafNumber = (index: string) => `Leaf ${index}`;
export const kinds = {
  genesis: 'The beginning of the log',
  artifact: 'A file',
  rendition: 'A signed copy',
  failed: 'A registration that failed',
  mark: 'The state of a Mark',
  claim: 'A step of a claim',
  content: 'The visibility of a file’s details',
  index: 'The index of all files',
  keys: 'A key or signer',
} as const;
export const unknownKind = 'Of a kind that this page does not know';
export const growth = 'Growth';
export const growthLabel = (size: string, from: string, to: string) =>
  `A line of the number of leaves, up to ${size}, from ${from} to ${to}.`;
export const growthTop = (size: string) => `${size} leaves`;
export const growthNote =
  'By the times in leaves, which are the word of this service. Leaves that were imported when the log began have the times of their registrations.';
export const tooFew = 'All leaves are of one moment, or there are too few for a picture.';
export const doItYourself = 'Check it yourself';
export const doItYourselfText =
  'With Go, and no program of ours: these lines read every leaf, compute the whole tree again, and compare it with the signed checkpoint.';
export const commands = 'commands';
/** With Tessera's check of a whole log. `docs/internals/testing.md` has what it said about ours. */
export const commandLines = (key: string, url: string) => [
  `echo '${key}' >log.vkey`,
  `curl --fail --silent --output checkpoint.txt ${url}checkpoint`,
  'go run github.com/transparency-dev/tessera/cmd/fsck@v1.0.4 \\',
  `  --storage_url=${url} --public_key=log.vkey --N=2 --ui=false`,
];
export const expected = (
  <>
    The last line says <code>Successfully fsck'd log</code>. If it says <code>fsck failed</code>, also with exit code 0,
    or if the program does not end, the log does not hold. Keep the checkpoint: a later log must contain it.
  </>
);
export const what = 'What is in it';
export const whatLines = [
  'For each file: its fingerprint, the id of its Artifact, the hashes of its signed manifest and of its metadata, Mark, license, AI preferences, and the time.',
  'Under a private Mark, a salted hash in place of Mark, license and AI preferences. Only those who may see the Mark can open it.',
  'Never a file, a name, a text, an address or a user. What is deleted here leaves nothing there but such hashes.',
];
export const proves = 'What a receipt proves';
export const provesLines = [
  'That the registration was in the log when its checkpoint was signed, and so has to be in every later one.',
  'Not who made the file, and not when it was registered: the times in leaves are the word of this service.',
];
export const docs = (link: (text: string) => ReactNode) => <>More about receipts in {link('the documentation')}.</>;
