// Compares what is on chain with the log: registrations need a leaf, and anchored heads have to be those of the log.

import {
  type Anchor,
  createJsonRpcClient,
  InvalidResultError,
  type JsonRpcClient,
  JsonRpcError,
  NodeUnavailableError,
  readAnchors,
  readBlockNumber,
  readRegistryEventSpans,
} from '@provenance-registry/chain-client';
import { CommandError } from '../../errors.js';
import { findFork } from './checkpoints.js';
import type { Finding } from './findings.js';
import type { LeafIndex } from './leafIndex.js';
import type { CheckedLog } from './otherViews.js';
import type { Suspects } from './suspects.js';

const CALL_TIMEOUT_MS = 30_000;

type Hex = `0x${string}`;

export interface ChainToCheck {
  readonly rpcUrls: readonly string[];
  /** The registry contract. */
  readonly registry: string;
  /** The contract of the anchors; undefined: the log has none. */
  readonly anchors: string | undefined;
}

/** Checks the blocks from one on. Returns the first that is still to be read, and what was found. */
export async function checkChain(
  { rpcUrls, registry, anchors }: ChainToCheck,
  log: CheckedLog,
  from: number,
  entries: { readonly index: LeafIndex; readonly suspects: Suspects },
): Promise<{ readonly nextBlock: number; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  let nextBlock = Number.MAX_SAFE_INTEGER;
  for (const url of rpcUrls) {
    const node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS });
    try {
      const to = await readBlockNumber(node);
      const range = { from: BigInt(from), to };
      await checkEntries(node, registry, range, entries);
      if (anchors !== undefined) findings.push(...(await checkAnchors(node, anchors, range, log)));
      nextBlock = Math.min(nextBlock, Number(to) + 1);
    } catch (error) {
      if (!isNodeError(error)) throw error;
      throw new CommandError('UNREACHABLE', 3, `The node ${url} cannot be used: ${error.message}.`, { cause: error });
    }
  }
  return { nextBlock, findings };
}

interface BlockRange {
  readonly from: bigint;
  readonly to: bigint;
}

async function checkEntries(
  node: JsonRpcClient,
  registry: string,
  range: BlockRange,
  { index, suspects }: { readonly index: LeafIndex; readonly suspects: Suspects },
): Promise<void> {
  const address: Hex = `0x${registry.slice(2).toLowerCase()}`;
  for await (const events of readRegistryEventSpans(node, address, range)) {
    const entries = events.flatMap((event) =>
      event.kind === 'curated' ? [{ ...event, metadata: event.manifestHash }] : [],
    );
    for (const entry of await index.findMissing(entries)) {
      const { fingerprint, metadata, manifestId, transactionHash, blockNumber } = entry;
      const stated = { contract: registry, fingerprint, manifestId, manifestHash: metadata, transactionHash };
      suspects.add({
        finding: {
          kind: 'entry-without-leaf',
          message: `Transaction ${transactionHash} registers ${fingerprint} on chain, and the log has no leaf of it with this metadata.`,
          files: { 'entry.json': toJson({ ...stated, blockNumber: Number(blockNumber) }) },
        },
        isExplained: async () => (await index.findMissing([{ fingerprint, metadata }])).length === 0,
      });
    }
  }
}

async function checkAnchors(
  node: JsonRpcClient,
  contract: string,
  range: BlockRange,
  log: CheckedLog,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const anchor of readAnchors(node, contract, range)) {
    const finding = await compareAnchor(anchor, contract, log);
    if (finding) findings.push(finding);
  }
  return findings;
}

async function compareAnchor(
  { size, root, transactionHash, blockNumber }: Anchor,
  contract: string,
  { tree, checkpoint, policy }: CheckedLog,
): Promise<Finding | undefined> {
  const from = `the anchor in transaction ${transactionHash}`;
  const stated = { contract, size, root, transactionHash, blockNumber: Number(blockNumber) };
  const files = { 'anchor.json': toJson(stated) };
  if (size > checkpoint.size) {
    const message = `${checkpoint.from} shows ${checkpoint.size} leaves, and ${from} has ${size}.`;
    return { kind: 'withheld', message, files: { ...files, 'checkpoint-1.txt': checkpoint.note } };
  }
  const older = { size, root: Buffer.from(root.slice(2), 'hex'), from };
  return findFork(async () => tree, checkpoint, older, policy, files);
}

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function isNodeError(error: unknown): error is Error {
  return [NodeUnavailableError, InvalidResultError, JsonRpcError].some((type) => error instanceof type);
}
