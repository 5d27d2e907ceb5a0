// Whether the contract of the log anchored a tree with the leaf of a file: the leaf was in the log before that block.

import { digestOf, type PublishedAnchor } from '@provenance-registry/core';
import { isIncluded } from '@provenance-registry/log';
import { InvalidResponseError } from '../../errors.js';
import { problems as problemTexts } from '../../explanations.js';
import type { AnchorProof } from '../bundleFormat.js';
import type { AnchorBlock } from '../bundleProof.js';
import {
  type AnchorEvidence,
  evidenceOf,
  type Inconsistency,
  type LogEvidence,
  type SourceResult,
  tryReadWithin,
} from '../evidence.js';
import type { MirrorSource } from '../mirror/source.js';
import { askNodes, compareWithNamed } from '../namedProof.js';
import { type ChainSource, listNodes, SOURCE_TIMEOUT_MS, serviceTimeout, type VerifyOptions } from '../options.js';
import { readInclusion } from './inclusion.js';

interface NamedAnchor {
  readonly chain?: ChainSource | undefined;
  readonly logContract?: string | undefined;
  readonly anchorBlockHash?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** With the anchor of a bundle, which the caller's nodes have to have. */
export async function addBundledAnchor(
  log: SourceResult<LogEvidence>,
  proof: AnchorProof | undefined,
  named: NamedAnchor,
): Promise<SourceResult<LogEvidence>> {
  if (log.kind !== 'found' || !proof) return log;
  return { kind: 'found', value: { ...log.value, anchor: await checkProof(log.value, proof, named) } };
}

async function checkProof(
  logged: LogEvidence,
  anchor: AnchorProof,
  named: NamedAnchor,
): Promise<SourceResult<AnchorEvidence>> {
  const { proveAnchor } = await import('../bundleProof.js');
  const { address, chainId, size } = anchor;
  let block: AnchorBlock;
  try {
    block = proveAnchor(anchor);
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return { kind: 'invalid', code: 'ANCHOR_INVALID', reason: problemTexts.ANCHOR_INVALID.proof(error.message) };
  }
  if (!isCovered(logged, block, size, anchor.hashes.map(digestOf))) return notCovered;
  const { chain, logContract, anchorBlockHash: blockHash } = named;
  const differences = compareWithNamed(
    { address, chainId, blockHash: block.blockHash },
    // An anchor in another contract is one, such as in the contract before: it counts as the maker's word.
    { address: undefined, chainId: chain?.chainId, blockHash },
  );
  const { problems, unusableNode } = await compareWithNodes({ ...block, chainId }, named);
  const isSeen = listNodes(chain).length > 0 && unusableNode === undefined;
  const isNamed = chain?.chainId !== undefined || isSeen;
  return {
    kind: 'found',
    value: {
      ...describeBlock(block),
      address,
      addressFrom: logContract?.toLowerCase() === address ? 'caller' : 'bundle',
      chainId: isNamed ? chainId : undefined,
      size,
      isOnChain: unusableNode === undefined && (isSeen || blockHash !== undefined),
      problems: [...differences, ...problems],
      unusableNode,
    },
  };
}

/** With the anchor that the service names, as the caller's nodes have it, if the caller knows the contract. */
export async function addPublishedAnchor(
  log: SourceResult<LogEvidence>,
  source: MirrorSource,
  options: Pick<VerifyOptions, 'chain' | 'logContract' | 'timeoutMs' | 'trustAnchorsPem' | 'signal'>,
): Promise<SourceResult<LogEvidence>> {
  const logged = evidenceOf(log);
  const contract = options.logContract ?? logged?.statedContract;
  const stated = logged?.statedAnchor;
  const isNodeNamed = listNodes(options.chain).length > 0;
  if (!logged || !stated || !isNodeNamed || contract?.toLowerCase() !== stated.address) return log;
  const { index } = logged;
  const hashes = await tryReadWithin<Uint8Array[]>(serviceTimeout(options), options.signal, async (signal) => ({
    kind: 'found',
    value: await readInclusion(source, { index, size: stated.size }, signal),
  }));
  if (hashes.kind !== 'found') return log;
  const { chain, timeoutMs = SOURCE_TIMEOUT_MS } = options;
  const anchor = await tryReadWithin(timeoutMs, options.signal, (signal) =>
    readFromNodes(logged, stated, hashes.value, { chain, signal }),
  );
  return { kind: 'found', value: { ...logged, anchor } };
}

async function readFromNodes(
  logged: LogEvidence,
  stated: PublishedAnchor,
  hashes: readonly Uint8Array[],
  named: NamedAnchor,
): Promise<SourceResult<AnchorEvidence>> {
  const { readAnchorBlock } = await import('../bundleProof.js');
  const results = await askNodes(named, (node) => readAnchorBlock(node, stated));
  const failure = results.find((result) => result.kind === 'failed');
  if (failure?.kind === 'failed') return failure;
  const blocks = results.map((result) => evidenceOf(result));
  const [block] = blocks;
  // A node may be behind.
  if (!block || blocks.includes(undefined)) return { kind: 'absent' };
  const { address, size } = stated;
  if (!isCovered(logged, block, size, hashes)) return notCovered;
  const isSame = blocks.every((one) => one?.blockHash === block.blockHash && one.root === block.root);
  return {
    kind: 'found',
    value: {
      ...describeBlock(block),
      address,
      addressFrom: 'caller',
      chainId: named.chain?.chainId,
      size,
      isOnChain: isSame,
      problems: isSame ? [] : [{ code: 'NODE_MISMATCH', reason: problemTexts.NODE_MISMATCH }],
    },
  };
}

const notCovered = {
  kind: 'invalid',
  code: 'ANCHOR_INVALID',
  reason: problemTexts.ANCHOR_INVALID.otherTree,
} as const;

function isCovered(
  { leafHash, index }: LogEvidence,
  { root }: AnchorBlock,
  size: number,
  hashes: readonly Uint8Array[],
): boolean {
  return isIncluded(leafHash, { index, hashes }, { size, root: digestOf(root) });
}

function describeBlock({ blockNumber, blockHash, timestamp: blockTime }: AnchorBlock) {
  return { blockNumber, blockHash, blockTime };
}

/** All nodes must have the block of the bundle, on its chain. */
async function compareWithNodes(
  { blockNumber, blockHash, chainId }: AnchorBlock & { readonly chainId: number },
  named: NamedAnchor,
): Promise<{ readonly problems: readonly Inconsistency[]; readonly unusableNode: string | undefined }> {
  const { readBlock, readChainId } = await import('../bundleProof.js');
  const seen = await askNodes(named, async (node) => {
    const [id, block] = await Promise.all([readChainId(node), readBlock(node, BigInt(blockNumber))]);
    return { id, hash: block?.hash };
  });
  const failure = seen.find((result) => result.kind === 'failed');
  const found = seen.flatMap((result) => evidenceOf(result) ?? []);
  const otherChain = found.find(({ id }) => id !== chainId);
  const { BLOCK_MISMATCH, CHAIN_ID_MISMATCH } = problemTexts;
  const problems: Inconsistency[] = [
    ...(otherChain
      ? [{ code: 'CHAIN_ID_MISMATCH', reason: CHAIN_ID_MISMATCH.bundleNode(chainId, otherChain.id) } as const]
      : []),
    ...(found.every(({ hash }) => hash === blockHash)
      ? []
      : [{ code: 'BLOCK_MISMATCH', reason: BLOCK_MISMATCH.anchor(blockHash) } as const]),
  ];
  return { problems, unusableNode: failure?.kind === 'failed' ? failure.reason : undefined };
}
