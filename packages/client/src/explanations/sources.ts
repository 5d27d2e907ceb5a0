// What the check of a source proves and does not prove, or why the source was not read.

import { safeText } from '../sanitize.js';
import type { AnchorDetails, EvidenceKind } from '../verification/types.js';
import type { ByCode } from './byCode.js';
import { signerTrust } from './credentials.js';

export const skippedSources = {
  NO_SERVICE: 'no service was given',
  NO_NODE: 'no node of the chain was given',
  NO_CONTRACT: 'the address of the contract is not known',
  NODE_WOULD_LEARN:
    'the node that the service names would learn which file this is; according to the service, the chain has no entry',
  NODE_WOULD_LEARN_CHAIN_UNKNOWN:
    'the node that the service names would learn which file this is, and the service has not read the latest blocks',
  NO_MANIFEST_NAMED: 'no source named a manifest',
  MANIFEST_SERVICE_UNAVAILABLE: 'the service that has the manifest is unavailable',
  NO_PROOF: 'the bundle has no proof',
  NO_PROOF_AND_CONTRACT: 'the bundle has no proof, and the contract is not known',
  BUNDLE: 'the service was not asked',
  BLOCK_NOT_COMPARED: 'the block of the proof was not compared with anything',
  NO_LOG: 'the service has no public log, as far as it says',
  NO_RECORD_FOR_LOG: 'the service has no record of its own, and its log is not asked',
  NO_RECEIPT: 'the bundle has no receipt of the public log',
  NO_LOG_KEY: 'no key of the log was given',
  NO_ANCHOR: 'the bundle has no anchor of the log',
  LOG_NOT_VOUCHED_FOR: 'no root vouches for what the service states about its log',
} as const satisfies ByCode<string>;

export const serviceDegraded = (status: string) => safeText`the service has no record, and its status is ${status}`;
export const noResponse = (seconds: number) => `no response within ${seconds} s`;

const PUBLIC_ENTRY =
  'Anyone can write to the public registry: the entry proves that this account knew the fingerprint at that time, and nothing about who made the file.';

export const registryCheck = {
  contradicted: 'The service contradicts other evidence: do not rely on anything it says about this file.',
  absent: 'The service has no record of this file. This does not prove that the file was never registered.',
  unavailable: 'The service could not be checked.',
  bundle: "What the bundle says about the service is its creator's word and proves nothing.",
  public: (registeredBy: unknown) =>
    `${safeText`The service has no record of its own for this file. It relays an entry that the account ${registeredBy} wrote on chain.`} ${PUBLIC_ENTRY}`,
  agrees: (record: { service: string; manifestId: string; signedCopyOf?: unknown }, isOnChain: boolean) => {
    const copy = record.signedCopyOf === undefined ? '' : safeText`, as a signed copy of ${record.signedCopyOf}`;
    const claim = `${safeText`The service at ${record.service} says that the manifest ${record.manifestId} belongs to this file`}${copy}.`;
    const metadata = isOnChain
      ? 'The keccak-256 of the metadata that it shows is the one on chain.'
      : 'The metadata that it shows could not be compared with the hash on chain.';
    return `${claim} This is the service's own word: the chain and the manifest show whether it is true. ${metadata}`;
  },
} as const satisfies ByCode<string>;

const BLOCK_TO_COMPARE =
  'Anyone can make such a proof for a block of their own: compare the hash of the block with an explorer.';

const contractToCompare = (from: 'service' | 'bundle') =>
  `The address of the contract comes from the ${from}: compare it with one that you know from elsewhere.`;

interface ChainEntry {
  readonly from: 'caller' | 'service' | 'bundle';
  readonly address: string;
  readonly addressFrom: 'caller' | 'service' | 'bundle';
  /** Undefined when nothing proves it. */
  readonly chainId: number | undefined;
  readonly manifestId: string;
  readonly block: { readonly number: number; readonly time: string; readonly hash: string } | undefined;
  readonly registrar: string | undefined;
  /** False when it is a proof whose block was not compared with the chain. */
  readonly isOnChain: boolean;
}

export const chainCheck = {
  contradicted: 'The chain data is inconsistent or about another file: it proves nothing.',
  absent:
    'According to the node, the contract has no entry for this file. This does not prove that the file was never registered: the registration may be pending, or be in another registry.',
  unavailable: 'The chain could not be checked.',
  public: (registeredBy: unknown) =>
    `${safeText`The curated registry has no entry for this file. The account ${registeredBy} wrote one to the public registry.`} ${PUBLIC_ENTRY}`,
  confirmed: (entry: ChainEntry) => {
    const { from, address, addressFrom, chainId, manifestId, block, registrar, isOnChain } = entry;
    const source = from === 'bundle' ? 'According to the proof in the bundle' : 'According to the node';
    const chain = chainId === undefined ? '' : ` on chain ${chainId}`;
    const since = block ? safeText` since block ${block.number} of ${block.time}, whose hash is ${block.hash}` : '';
    const writer = registrar === undefined ? '' : safeText`, written by its registrar ${registrar}`;
    return [
      `${source}, ${safeText`the contract ${address}${chain} has the manifest ${manifestId} for this file`}${since}${writer}.`,
      isOnChain
        ? 'This entry cannot be changed or removed, not even by the service. It does not prove that the registrant made the file.'
        : BLOCK_TO_COMPARE,
      ...(from === 'service' ? ["The node is the service's own: use one that you know from elsewhere."] : []),
      ...(addressFrom === 'caller' ? [] : [contractToCompare(addressFrom)]),
    ].join(' ');
  },
} as const satisfies ByCode<string>;

interface SignedManifest {
  readonly signedBy: string;
  readonly trustedBy: 'caller' | 'service' | undefined;
  readonly timestamp: { readonly at: string; readonly isIndependent: boolean } | undefined;
}

export const manifestCheck = {
  contradicted: 'This manifest proves nothing about this file.',
  absent: 'No signed manifest of this file was found.',
  unavailable: 'No signed manifest could be checked.',
  notLinked: (original: unknown) =>
    safeText`the manifest is for ${original}, and only the service says that this file is a signed copy of that one`,
  copyOf: (original: string, [source]: readonly EvidenceKind[]) => {
    const has = source === 'chain' || source === 'log' ? `the ${source} has it for this copy too` : undefined;
    return safeText`the registered file ${original}, of which this file is a signed copy (${has ?? 'the manifest inside this copy names it'}),`;
  },
  confirmed: ({ signedBy, trustedBy, timestamp }: SignedManifest, subject = 'exactly this file') => {
    // The time of any other authority is not proven, so it is told with what the service says.
    const time = timestamp?.isIndependent
      ? safeText`A time-stamp authority that you trust gives the time ${timestamp.at}.`
      : "Its time-stamp is of an authority under the signer's own or the service's roots, so that the time is their word.";
    return [
      `The manifest is for ${subject} and has not been changed since ${safeText`"${signedBy}"`} signed it.`,
      signerTrust[trustedBy ?? 'none'],
      ...(timestamp ? [time] : []),
      'It does not prove that the statements in the manifest are true.',
    ].join(' ');
  },
} as const satisfies ByCode<string>;

interface LoggedLeaf {
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly keyFrom: 'caller' | 'service';
  readonly keyStatedBy: string | undefined;
  readonly leaf: { readonly id: string; readonly imported?: true };
  readonly anchor: AnchorDetails | undefined;
}

/** Of a leaf that the log had then. */
export const anchored = ({ blockNumber, blockTime }: Pick<AnchorDetails, 'blockNumber' | 'blockTime'>): string =>
  safeText`in the log before block ${blockNumber}, ${blockTime}`;

function describeAnchor(anchor: AnchorDetails): string[] {
  const { address, addressFrom, chainId, size, blockHash, isOnChain } = anchor;
  const chain = chainId === undefined ? '' : ` on chain ${chainId}`;
  const source = isOnChain ? 'The leaf was' : 'According to the proof in the bundle, the leaf was';
  return [
    safeText`${source} ${anchored(anchor)}, whose hash is ${blockHash}: there, the contract ${address}${chain} anchored a tree of ${size} leaves that has it.`,
    ...(isOnChain ? [] : [BLOCK_TO_COMPARE]),
    ...(addressFrom === 'caller' ? [] : [contractToCompare(addressFrom)]),
  ];
}

export const logCheck = {
  contradicted: 'This receipt proves nothing about this file.',
  absent: 'The public log has no receipt for this file yet. A registration is in the log within a minute.',
  unavailable: 'The public log could not be checked.',
  confirmed: ({ origin, index, size, keyFrom, keyStatedBy, leaf, anchor }: LoggedLeaf) =>
    [
      safeText`The log ${origin} has the manifest ${leaf.id} for this file, as leaf ${index}, under a signed checkpoint of ${size} leaves.`,
      'A later log without this leaf would contradict that checkpoint.',
      ...(keyFrom === 'service'
        ? ["The key of the log is the service's word: compare it with one that you know from elsewhere."]
        : []),
      ...(keyStatedBy === undefined
        ? []
        : [safeText`Its key is stated by "${keyStatedBy}", under roots that you trust.`]),
      ...(anchor ? describeAnchor(anchor) : []),
      ...(leaf.imported ? ['It was recorded before the log began, which proves no earlier time.'] : []),
      'It does not prove that the registrant made the file, or when it was registered: times in the log are its own word.',
    ].join(' '),
} as const satisfies ByCode<string>;

/** Of a checkpoint that has the leaf: the registration is not younger. */
export const witnessed = (name: string, at: string): string => safeText`${name} signed it by ${at}, says its clock`;

/** About copies of a registry's log and manifests. */
export const mirrorTexts = {
  missing: (path: string) => safeText`the copy has no ${path}`,
  malformed: (path: string) => safeText`the copy has a ${path} that cannot be read`,
  absent: (origin: string, size: number) =>
    safeText`This copy has no registration of this file among the first ${size} leaves of the log ${origin}. It does not show whether there is one later, or elsewhere.`,
} as const satisfies ByCode<string>;

export const provesNothing = (summary: string) => `${summary} This proves nothing.`;

/** Turns a sentence about this file into one about the registered file of which it is a copy. */
export const aboutOriginal = (sentence: string) => sentence.replaceAll('this file', 'the registered file');
