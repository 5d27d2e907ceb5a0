// Every text of the certificate, apart from those that describe Artifacts everywhere (core's displayText.ts).

/** BCP 47. */
export const language = 'en-US';

export const title = 'Certificate of registration';
export const documentTitle = (fingerprint: string) => `Certificate of registration: ${fingerprint}`;
export const subject =
  'What a provenance registry, its signed manifest and the chain show about the registration of a file';

export const issuedBy = (registry: string) => `Issued by ${registry}`;
export const issuedAt = (time: string) => `Issued at ${time}`;
export const introduction = (registry: string) =>
  `This document states what ${registry} found about one registered file when the document was issued: in its own records, in the signed manifest of the registration, and on chain. Each value names the source it was read from. A file belongs to this document only if its fingerprint is the one below, digit by digit.`;

export const fingerprintLabel = 'Fingerprint of the file (SHA-256), 64 hexadecimal digits after 0x';
export const randomartLabel = 'Randomart';
export const randomartAlt =
  'Randomart: a picture of the fingerprint, as ssh-keygen draws it, for comparison at a glance.';
export const qrLabel = 'The record today';
export const qrAlt = (url: string) => `QR code of the address ${url}`;
export const signatureLabel = 'Signed electronically';
export const signatureNote =
  'The signature is inside this PDF file: check it with a PDF viewer. A printed copy carries no signature.';
export const signatureReason = 'Certificate of registration';
export const footer = (fingerprint: string, page: number, pages: number) =>
  `Certificate of registration for ${fingerprint} · page ${page} of ${pages}`;

/** Where a value was read. */
export const sources = {
  chain: 'Chain',
  manifest: 'Signed manifest',
  service: 'Service’s record',
  stated: 'Registrant',
  document: 'This document',
} as const;
export type Source = keyof typeof sources;

export const summaryHeadings = { registrant: 'Registered by', registered: 'Registered', chain: 'On chain' };
export const privateMark = 'A private Mark: its name, the author, the license and the filename are not public.';
export const onChainSince = (time: string, block: string) => `Since ${time}, block ${block}`;
export const onChainUnread = 'According to the service; the chain could not be read when this document was issued.';
export const notOnChainYet = 'Not on chain yet.';
export const notOnChainYetMore =
  'The service has recorded the registration and signed its manifest, but no confirmed transaction exists. Until then, the time of registration rests on the service and on the time-stamp alone. Ask for a new certificate later.';

export const contestedHeading = 'This registration is contested';
export const supersededHeading = 'This registration was conceded to another Mark';
export const claimsHeading = 'There are open claims to this file';
export const claimsMore = (url: string) => `The claims and the answers to them are public: ${url}`;
export const contradictionHeading = 'The chain does not confirm the service’s record';
export const noEntry =
  'The contract has no entry of this fingerprint, although the service has recorded a transaction.';
export const otherEntry = (manifestId: string) =>
  `The entry of this fingerprint in the contract names another manifest: ${manifestId}.`;
export const developmentHeading = 'Development chain';
export const developmentChain =
  'This registry runs its chain itself, for development. Its blocks are no evidence towards other parties.';

export const sections = {
  file: 'The file',
  registrant: 'Who registered it',
  rights: 'License and preferences',
  times: 'Times',
  chain: 'On chain',
  signatures: 'Signatures',
  proves: 'What this proves',
  provesNot: 'What this does not prove',
  verify: 'How to verify without us',
  sources: 'Where the values come from',
};

export const labels = {
  kind: 'Kind of file',
  filename: 'Filename',
  mediaType: 'Media type',
  size: 'Size',
  possession: 'Reading of the file',
  authorship: 'Authorship',
  lastModified: 'Last modified',
  digitalSource: 'How it was made',
  previous: 'Earlier version',
  copies: 'Signed copies',
  markThen: 'Mark at registration',
  markNow: 'Mark now',
  markId: 'Mark id',
  author: 'Author',
  domainsThen: 'Domains verified at registration',
  domainsNow: 'Verified domains now',
  namesakes: 'Similar names',
  license: 'License',
  ai: 'AI preferences',
  claims: 'Claims',
  stamped: 'Manifest time-stamped',
  recorded: 'Registration recorded',
  mined: 'Entry on chain',
  issued: 'Certificate issued',
  status: 'Status',
  chainId: 'Chain id',
  contract: 'Contract',
  transaction: 'Transaction',
  block: 'Block',
  blockHash: 'Block hash',
  writer: 'Written by account',
  sender: 'Transaction signed by',
  entryManifest: 'Manifest id in the entry',
  metadataHash: 'Hash of the metadata',
  manifest: 'Manifest',
  manifestSigner: 'Signer of the manifest',
  authority: 'Time-stamp authority',
  documentSigner: 'Signer of this document',
};

export const bytes = (size: number) => `${size.toLocaleString('en-US')} bytes`;
export const authorNow = (name: string) => `Now called ${name}`;
export const unchanged = 'The same as at registration';
export const unknown = 'Not stated';
export const noDomains = 'None: no verified identity';
export const domainSince = (domain: string, since: string, until: string | undefined) =>
  until === undefined ? `${domain}, since ${since}` : `${domain}, since ${since}, no longer verified since ${until}`;
export const noClaims = 'None are open when this document is issued.';
export const copies = (count: number) =>
  count === 1
    ? 'The service has signed one copy of this file.'
    : `The service has signed ${count} copies of this file.`;
export const aiPreferences = (sentence: string) => `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
export const metadataMatch = 'The metadata in the service’s record have this hash.';
export const metadataMismatch = 'The metadata in the service’s record have ANOTHER hash.';
export const certificate = (name: { subject: string; issuer: string; serialNumber: string; sha256: string }) => [
  name.subject,
  `Issued by ${name.issuer}`,
  `Serial number ${name.serialNumber}`,
  `SHA-256 of the certificate`,
];
export const ownAuthority = 'This registry runs this authority itself: it is not another party.';
export const ownDocumentAuthority = 'Its certificate was issued by an authority that this registry runs itself.';
export const unreadManifest = 'The manifest could not be read when this document was issued.';
export const noTimestamp = 'The manifest has no time-stamp that could be read.';
export const unreadChain = 'The chain could not be read when this document was issued.';
export const stampedBy = (authority: string) => `by ${authority}`;
export const recordedBy = 'by the clock of the service';
export const minedBy = 'time of the block, as the contract recorded it';

export interface Conditions {
  readonly isOnChain: boolean;
  readonly isDevelopmentChain: boolean;
  readonly chainTime: string;
  readonly stampTime: string | undefined;
  readonly isOwnAuthority: boolean;
  readonly fileSeen: boolean;
}

export function proves({ isOnChain, isDevelopmentChain, chainTime, stampTime, isOwnAuthority }: Conditions): string[] {
  const stamp = isOwnAuthority
    ? `The manifest was signed by ${stampTime}, by a time-stamp of this registry’s own authority.`
    : `The manifest was signed by ${stampTime}: a time-stamp authority confirmed its signature then.`;
  return [
    'A file with this fingerprint is the registered file, byte for byte. Changing a single byte changes the fingerprint.',
    ...(isOnChain && !isDevelopmentChain
      ? [
          `The fingerprint was on chain at ${chainTime}: the file, or its fingerprint, existed by then. An entry cannot be given an earlier time, and is never changed.`,
        ]
      : []),
    ...(stampTime === undefined ? [] : [stamp]),
    'Since it was signed, this document has not been changed, as long as its signature is valid.',
  ];
}

export function provesNot({ fileSeen, isOnChain, isDevelopmentChain }: Conditions): string[] {
  return [
    'That the registrant made the file or owns rights in it: anyone who has a file can register it. Names are what users typed; only domains were checked.',
    'That what the file shows or says is true.',
    'That no one else had the file earlier, or registered it elsewhere.',
    ...(fileSeen ? [] : ['That the registrant had the file: only a fingerprint was sent at registration.']),
    ...(isOnChain ? [] : ['That the registration is on chain: it is not there yet.']),
    ...(isDevelopmentChain ? ['Anything by its blocks: this registry runs the chain itself, for development.'] : []),
    'Anything about the time after it was issued: claims, names and domains can change. The QR code leads to the record today.',
  ];
}

export interface Instructions {
  readonly fingerprint: string;
  readonly chainId: string;
  readonly contract: string;
  readonly manifestUrl: string;
  readonly signerSha256: string | undefined;
  readonly documentSha256: string;
  readonly rootsUrl: string;
}

/** Each step with the command that does it. */
export function verification(known: Instructions): { readonly text: string; readonly command?: string }[] {
  return [
    {
      text: 'Compute the SHA-256 of your file (Windows: certutil -hashfile FILE SHA256; macOS: shasum -a 256 FILE) and compare all 64 digits with the fingerprint.',
      command: 'sha256sum FILE',
    },
    {
      text: `Ask a node of chain ${known.chainId} that you trust, or a block explorer, for the entry in the contract. It must return the manifest id, the hash of the metadata, the account and the time of the section “On chain”. With Foundry:`,
      command: `cast call ${known.contract} "resolveByBindingDetailed(bytes32)(uint8,string[],string,bytes32,address,uint64)" ${known.fingerprint} --rpc-url NODE`,
    },
    {
      text: `Download the signed manifest and check it with any C2PA program. Its hash of the file must be the fingerprint${
        known.signerSha256 === undefined ? '' : ', and its signer’s certificate the one of the section “Signatures”'
      }.`,
      command: `curl --output manifest.c2pa ${known.manifestUrl} && c2patool manifest.c2pa --detailed`,
    },
    {
      text: `Check the signature of this document with a PDF viewer, or with poppler’s pdfsig. The SHA-256 of the signer’s certificate must be ${known.documentSha256}. Its root is published at ${known.rootsUrl}; compare it with a source other than this registry.`,
      command: 'pdfsig certificate.pdf',
    },
    {
      text: 'Keep the evidence bundle of the page of the record: it contains manifest, metadata and the proof of the block, and is checked without any network:',
      command: 'provenance verify --bundle BUNDLE.json FILE',
    },
  ];
}

export const sourceNotes: Readonly<Record<Source, string>> = {
  chain: 'read from a node of the chain by the service when this document was issued.',
  manifest: 'read from the published manifest, whose signature the service checked before it published it.',
  service: 'from the records of the service when this document was issued.',
  stated: 'what the registrant stated at registration, as the service recorded it; not checked.',
  document: 'about this document itself.',
};
