// Verifies bundles: everything is recomputed from the bundle, and compared with what the caller knows from elsewhere.

import type { Fingerprint } from '@provenance-registry/core';
import { decodeBase64 } from '../base64.js';
import { InvalidArgumentError, InvalidResponseError } from '../errors.js';
import { problems as problemTexts, skippedSources } from '../explanations.js';
import { requireFingerprint } from '../lookups/fileInput.js';
import { buildVerification } from './buildVerification.js';
import { BUNDLE_FORMAT, type Bundle, type ChainProof, isBlockHash, type OldBundle } from './bundleFormat.js';
import {
  type ChainEvidence,
  evidenceOf,
  type LogEvidence,
  type ManifestEvidence,
  type SourceResult,
  skipUnproven,
  tryRead,
} from './evidence.js';
import { addBundledAnchor } from './log/anchor.js';
import { type LogKeys, parseLogKeys } from './log/logKeys.js';
import { checkReceipt } from './log/receipt.js';
import { parseManifest } from './manifestSources.js';
import { askNodes, compareWithNamed } from './namedProof.js';
import { type ChainSource, dropServiceWord, type Expectation, listNodes, readCallerRoots } from './options.js';
import type { IndependentSource, Verification } from './types.js';

/**
 * Options of {@link verifyBundle}. Everything in them counts as obtained elsewhere than from the maker of the bundle.
 * @example
 * ```ts
 * const options: VerifyBundleOptions = { fingerprint: (await hashFile('sunrise.jpg')).fingerprint, trustAnchorsPem };
 * ```
 */
export interface VerifyBundleOptions {
  /** The fingerprint of your file. Default: the one in the bundle. */
  readonly fingerprint?: string | undefined;
  /** The hash that an explorer of the chain shows for the block of the proof. */
  readonly blockHash?: string | undefined;
  /** Nodes to compare the proof with, and the contract and chain that you expect. Without nodes, no network is used. */
  readonly chain?: ChainSource | undefined;
  /** PEM certificates of the authorities that issue the certificates of trusted signers. */
  readonly trustAnchorsPem?: string | undefined;
  /** Those of time-stamp authorities; default: `trustAnchorsPem`. */
  readonly timestampAnchorsPem?: string | undefined;
  /** The hash that an explorer of the chain shows for the block of the log's anchor. */
  readonly anchorBlockHash?: string | undefined;
  /** The contract that anchors the log, on the chain of `chain`. */
  readonly logContract?: string | undefined;
  /** Keys of the registry's public log (`name+id+key`): the current one, and earlier ones. */
  readonly logKeys?: readonly string[] | undefined;
  /** Keys of the log and of witnesses that have to sign, instead of `logKeys`: see {@link VerifyOptions}. */
  readonly policy?: string | undefined;
  /** Sources that must confirm independently of the maker; otherwise the verdict is `incomplete`. */
  readonly require?: readonly IndependentSource[] | undefined;
  /** Whose file it should be: see {@link VerifyOptions}. */
  readonly expect?: Expectation | undefined;
  /** URL of `c2pa.wasm` in browsers: see {@link VerifyOptions}. */
  readonly c2paWasmUrl?: string | URL | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies a bundle, offline unless nodes are given. The proof in it shows what the chain has, if the chain has its block:
 * compare `checks.chain.details.blockHash` with an explorer, and pass it as `blockHash`, or name a node.
 * @throws InvalidArgumentError when the fingerprint, the block hash or the trust anchors are malformed.
 * @example
 * ```ts
 * const { verdict, checks } = await verifyBundle(bundle, { fingerprint, trustAnchorsPem });
 * console.log(verdict, checks.chain.details.blockNumber, checks.chain.details.blockHash);
 * ```
 */
export async function verifyBundle(
  bundle: Bundle | OldBundle,
  options: VerifyBundleOptions = {},
): Promise<Verification> {
  const named = dropServiceWord(options);
  return judgeBundle(bundle, await readBundledManifest(bundle, named), named);
}

/** The slow part, which depends on the manifest and the trust anchors alone. */
export async function readBundledManifest(
  { manifest }: Pick<Bundle, 'manifest'>,
  options: VerifyBundleOptions,
): Promise<SourceResult<ManifestEvidence>> {
  const caller = readCallerRoots(options);
  return tryRead(options.signal, () =>
    parseManifest(decodeBase64(manifest), 'the bundle', { caller }, options.c2paWasmUrl),
  );
}

export async function judgeBundle(
  bundle: Bundle | OldBundle,
  manifest: SourceResult<ManifestEvidence>,
  options: VerifyBundleOptions,
): Promise<Verification> {
  const { blockHash, anchorBlockHash, require = [] } = options;
  const fingerprint = requireFingerprint(options.fingerprint ?? bundle.fingerprint);
  for (const hash of [blockHash, anchorBlockHash]) {
    if (hash !== undefined && !isBlockHash(hash)) throw new InvalidArgumentError(`${hash} is not the hash of a block.`);
  }
  const chain = await readChainEvidence(bundle, fingerprint, options);
  const logKeys = parseLogKeys(options);
  const { manifestId } = bundle;
  const word =
    bundle.version === 1
      ? { service: bundle.service, metadata: bundle.artifact?.metadata }
      : { service: bundle.maker.service, metadata: bundle.metadata, signedCopyOf: bundle.signedCopyOf };
  const evidence = {
    fingerprint,
    registry: { kind: 'found', value: { isCopy: true, manifestId, ...word } },
    chain,
    manifest: bundle.fingerprint === fingerprint ? manifest : otherFile(bundle),
    log: await readBundledReceipt(bundle, logKeys, options),
    hasLogKeys: logKeys !== undefined,
    hasTrustAnchors: options.trustAnchorsPem !== undefined,
    isNodeFromCaller: listNodes(options.chain).length > 0,
    isBlockCompared: blockHash !== undefined,
    isAnchorCompared: anchorBlockHash !== undefined,
  } as const;
  // A hash that was compared with a proof that is not there has confirmed nothing.
  const isHashUnused = blockHash !== undefined && evidenceOf(chain)?.registration === undefined;
  const required = isHashUnused ? [...new Set([...require, 'chain'] as const)] : require;
  return buildVerification(evidence, { require: required, expect: options.expect });
}

function otherFile({ fingerprint }: Bundle | OldBundle): SourceResult<never> {
  const reason = problemTexts.FINGERPRINT_MISMATCH.bundle(fingerprint);
  return { kind: 'invalid', code: 'FINGERPRINT_MISMATCH', reason };
}

async function readBundledReceipt(
  bundle: Bundle | OldBundle,
  keys: LogKeys | undefined,
  options: VerifyBundleOptions,
): Promise<SourceResult<LogEvidence>> {
  const log = bundle.version === BUNDLE_FORMAT.version ? bundle.log : undefined;
  if (!log) return skipUnproven(skippedSources.NO_RECEIPT);
  if (!keys) return skipUnproven(skippedSources.NO_LOG_KEY);
  const { anchor, ...receipt } = log;
  return addBundledAnchor(await checkReceipt(receipt, 'the bundle', keys), anchor, options);
}

/** Reads the chain from the caller's nodes, which must have what the proof shows; without nodes, from the proof alone. */
async function readChainEvidence(
  bundle: Bundle | OldBundle,
  fingerprint: Fingerprint,
  options: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence>> {
  const proof = bundle.version === 1 ? undefined : bundle.chain;
  const proven = proof ? await readProof(proof, fingerprint, options) : skipUnproven(skippedSources.NO_PROOF);
  if (listNodes(options.chain).length === 0 || proven.kind === 'invalid') return proven;
  const live = await readNodes(bundle.chain?.address, fingerprint, options);
  return compareWithNodes(evidenceOf(proven), live, options);
}

/** What follows from the proof, and whether it is what the caller knows. */
async function readProof(
  chainProof: ChainProof,
  fingerprint: Fingerprint,
  { blockHash, chain }: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence>> {
  const { proveRegistration } = await import('./bundleProof.js');
  const { address, chainId } = chainProof;
  try {
    const proven = proveRegistration(chainProof, fingerprint);
    const named = { blockHash, address: chain?.address, chainId: chain?.chainId };
    const { manifestId, manifestHash, endpoints } = proven.registration;
    const value: ChainEvidence = {
      from: 'bundle',
      isIndependent: blockHash !== undefined && chain?.address !== undefined,
      chainId,
      isChainIdUnproven: chain?.chainId === undefined,
      address,
      addressFrom: chain?.address === undefined ? 'bundle' : 'caller',
      entry: { source: 'curated', endpoints, manifestId, manifestHash },
      registration: { blockNumber: proven.blockNumber, blockHash: proven.blockHash },
      blockTime: proven.timestamp,
      problems: compareWithNamed({ address, chainId, blockHash: proven.blockHash }, named),
      notices: [],
    };
    return { kind: 'found', value };
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return { kind: 'invalid', code: 'PROOF_INVALID', reason: error.message };
  }
}

async function readNodes(
  bundledAddress: string | undefined,
  fingerprint: Fingerprint,
  { chain, signal }: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence>> {
  const address = chain?.address ?? bundledAddress;
  if (address === undefined) return skipUnproven(skippedSources.NO_PROOF_AND_CONTRACT);
  const { readChain } = await import('./chain.js');
  const location = {
    rpcUrls: listNodes(chain),
    fetch: chain?.fetch,
    from: 'caller',
    address,
    addressFrom: chain?.address === undefined ? 'bundle' : 'caller',
    expectedChainId: chain?.chainId,
  } as const;
  return readChain(fingerprint, location, signal);
}

async function compareWithNodes(
  proven: ChainEvidence | undefined,
  live: SourceResult<ChainEvidence>,
  options: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence>> {
  if (!proven) return live;
  if (live.kind === 'absent') {
    return { kind: 'invalid', code: 'NOT_ON_CHAIN', reason: problemTexts.NOT_ON_CHAIN.proven };
  }
  if (live.kind === 'failed') {
    return { kind: 'found', value: { ...proven, unusableNode: live.reason } };
  }
  if (live.kind !== 'found') return live;
  const blockHashes = await readBlockHashes(proven, options);
  const problems = [...proven.problems, ...live.value.problems, ...listDifferences(proven, live.value, blockHashes)];
  // A node that cannot search its logs shows the entry and, by its number, the block of the proof.
  const { registration = proven.registration, blockTime = proven.blockTime, ...rest } = live.value;
  const block = blockHashes.length > 0 ? { registration, blockTime } : {};
  const notices = rest.notices.filter(({ code }) => code !== 'BLOCK_UNKNOWN' || blockHashes.length === 0);
  return { kind: 'found', value: { ...rest, ...block, problems, notices } };
}

/** What the nodes have at this height; those that cannot be read have been reported. */
async function readBlockHashes(
  { registration }: ChainEvidence,
  options: VerifyBundleOptions,
): Promise<(string | undefined)[]> {
  if (!registration) return [];
  const { readBlock } = await import('./bundleProof.js');
  const blocks = await askNodes(options, (node) => readBlock(node, BigInt(registration.blockNumber)));
  return blocks.flatMap((block) => (block.kind === 'found' ? [block.value?.hash] : []));
}

function listDifferences(
  proven: ChainEvidence,
  live: ChainEvidence,
  blockHashes: readonly (string | undefined)[],
): ChainEvidence['problems'] {
  const { blockHash } = proven.registration ?? {};
  const seen = [...blockHashes, ...(live.registration ? [live.registration.blockHash] : [])];
  const rules = [
    [
      proven.chainId === live.chainId,
      'CHAIN_ID_MISMATCH',
      problemTexts.CHAIN_ID_MISMATCH.bundleNode(proven.chainId, live.chainId),
    ],
    [
      proven.entry.manifestId === live.entry.manifestId && proven.entry.manifestHash === live.entry.manifestHash,
      'ENTRY_MISMATCH',
      problemTexts.ENTRY_MISMATCH.proof,
    ],
    [seen.every((hash) => hash === blockHash), 'BLOCK_MISMATCH', problemTexts.BLOCK_MISMATCH.proof(blockHash)],
  ] as const;
  return rules.flatMap(([holds, code, reason]) => (holds ? [] : [{ code, reason }]));
}
