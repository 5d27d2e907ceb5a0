// Compares what is on chain with the log: registrations need a leaf, and anchored heads have to be those of the log.

import {
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
import { findFork } from '../checkpoints.js';
import type { Finding } from '../findings.js';
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

export interface ChainCheck {
  /** The first block that is still to be read. */
  readonly nextBlock: number;
  readonly findings: readonly Finding[];
  /** Anchors of more leaves than the checkpoint has, which may be older than they are. */
  readonly ahead: readonly AnchorAhead[];
}

interface AnchorAhead {
  readonly size: number;
  readonly block: number;
  readonly finding: Finding;
}

/** Checks the blocks from one on. */
export async function checkChain(
  { rpcUrls, registry, anchors }: ChainToCheck,
  log: CheckedLog,
  from: number,
  entries: { readonly index: LeafIndex; readonly suspects: Suspects },
): Promise<ChainCheck> {
  const findings: Finding[] = [];
  const ahead: AnchorAhead[] = [];
  let nextBlock = Number.MAX_SAFE_INTEGER;
  for (const url of rpcUrls) {
    const node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS });
    try {
      const to = await readBlockNumber(node);
      const range = { from: BigInt(from), to };
      await checkEntries(node, registry, range, entries);
      if (anchors !== undefined) await checkAnchors(node, anchors, range, log, { findings, ahead });
      nextBlock = Math.min(nextBlock, Number(to) + 1, ...ahead.map(({ block }) => block));
    } catch (error) {
      if (!isNodeError(error)) throw error;
      throw new CommandError('UNREACHABLE', 3, `The node ${url} cannot be used: ${error.message}.`, { cause: error });
    }
  }
  return { nextBlock, findings, ahead };
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
  { tree, checkpoint, policy }: CheckedLog,
  found: { readonly findings: Finding[]; readonly ahead: AnchorAhead[] },
): Promise<void> {
  for await (const { size, root, transactionHash, blockNumber } of readAnchors(node, contract, range)) {
    const from = `the anchor in transaction ${transactionHash}`;
    const block = Number(blockNumber);
    const files = { 'anchor.json': toJson({ contract, size, root, transactionHash, blockNumber: block }) };
    if (size > checkpoint.size) {
      const message = `${checkpoint.from} shows ${checkpoint.size} leaves, and ${from} has ${size}.`;
      found.ahead.push({ size, block, finding: { kind: 'withheld', message, files } });
      continue;
    }
    const older = { size, root: Buffer.from(root.slice(2), 'hex'), from };
    const fork = await findFork(async () => tree, checkpoint, older, policy, files);
    if (fork) found.findings.push(fork);
  }
}

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function isNodeError(error: unknown): error is Error {
  return [NodeUnavailableError, InvalidResultError, JsonRpcError].some((type) => error instanceof type);
}
