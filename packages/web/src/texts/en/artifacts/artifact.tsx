// Texts of the public page of an Artifact.

import type { ReactNode } from 'preact/compat';

export const artifact = 'Artifact';
export const readClaims = 'Read the claims';
export const updatesItself = 'This page updates automatically.';
export const verify = 'Verify independently';
export const verifyWith = 'at once and on this page, with the chain, the signed manifest and the public log';
export const checks = 'Independent check';
export const checkedFacts = 'What was found';

export const signedCopyTitle = (original: ReactNode) => <>This is a signed copy of {original}</>;
export const signedCopyText = (fingerprint: ReactNode) => (
  <>
    The address has the fingerprint of a copy that this service signed: {fingerprint}. This page is about the registered
    file.
  </>
);

/** `mark` is undefined under a private Mark. */
export const registeredSince = (mark: ReactNode | undefined, day: ReactNode, isContested: boolean) => (
  <>
    Registered under {mark === undefined ? 'a private Mark' : <>the Mark {mark}</>} since {day}
    {isContested && ', contested'}, according to this service
  </>
);

// Facts.

export const fileType = 'File type';
export const lastModified = 'Last modified';
export const howMade = 'How it was made';
export const asStated = (value: ReactNode) => <>{value}, as stated by the registrant</>;
export const previousVersion = 'Previous version';
export const fingerprint = 'Fingerprint';

// On chain.

export const onChain = 'On chain and signed';
export const chain = 'Chain';
export const contract = 'Contract';
export const aboutContract = 'About the contract';
export const transaction = 'Transaction';
export const block = 'Block';
export const blockTime = 'Block time';
export const writtenBy = 'Written by';
export const manifestId = 'Manifest id';
export const signedBy = 'Signed by';
export const timestamp = 'Time-stamp';
export const signer = (name: ReactNode, issuer: ReactNode | undefined) => (
  <>
    {name}
    {issuer !== undefined && <>, certified by {issuer}</>}
  </>
);
export const copyNames = {
  contract: 'contract address',
  transaction: 'transaction',
  block: 'block number',
  writtenBy: 'account',
  manifestId: 'manifest id',
};
export const serviceWord =
  'All of this is what this service states. The independent check reads it from the chain and the signature.';

// Not registered.

export const failedTitle = 'This file is not registered';
export const failedText = (link: (text: string) => ReactNode) => (
  <>The registration could not be written to the chain. Its maker can {link('register it again')}.</>
);
export const reason = (text: ReactNode) => <>Reason: {text}</>;
export const unknownTitle = 'Not registered here';
export const unknownDocumentTitle = 'No file with this fingerprint is registered here';
export const unknownLead = 'No file with this fingerprint is registered with this service.';
export const mayBeElsewhere =
  'The file may be registered elsewhere. A copy that differs by a single byte has a different fingerprint.';
export const checkChain = 'Check the chain';

// Downloads.

export const downloads = 'Downloads';
export const certificate = { label: 'Certificate (PDF)', description: 'signed document to print, send or file' };
export const bundle = {
  label: 'Evidence bundle',
  description: 'everything to verify the registration years later, without this service',
  making: 'Collecting the evidence …',
  reading: (done: number, total: number) => `Reading the receipts of the block: ${done} of ${total}`,
  done: 'The evidence bundle is downloaded.',
  withoutProof:
    'The bundle that was downloaded has no proof of the entry on chain: this service names no node of its chain. Name a node of your own under “Use my own sources”, and create the bundle again.',
  failed: 'Could not create the evidence bundle',
};
export const report = { label: 'Report', description: 'validation report of the manifest (JSON)' };
export const manifest = { label: 'Signed manifest', description: 'sidecar file for C2PA tools' };
export const card = { label: 'Card', description: 'signed image of the fingerprint' };
export const cardAlt = 'Card with the randomart and digits of the fingerprint';
export const fileNotHere = 'The file itself is not available here.';

// Sharing.

export const share = 'Share';
export const link = 'link';
export const badge = 'Badge for your website';
export const asImage = 'As an image';
export const imageCode = 'image code';
export const asElement = 'As an element (needs a script)';
export const elementCode = 'element code';
export const qrCode = 'QR code with the link to this page';
export const scan = 'Scan to open this page on your phone.';

// Claims.

export const claims = 'Claims';
export const claimsToLoad = 'claims';
export const noClaims = 'There are no claims to this file.';
export const contest = 'Contest this registration';
