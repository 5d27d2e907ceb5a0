// Reads the registry contract's data about a file from one or several nodes. Imported on demand, since decoding needs a
// large library.

import {
  findRegistrationIn,
  findRegistrationLog,
  InvalidProofError,
  InvalidResultError,
  type JsonRpcClient,
  JsonRpcError,
  type LoggedRegistration,
  NotARegistryError,
  type ReceiptJson,
  type RegistrationLog,
  type RegistryEntry,
  readBlockHeader,
  readChainId,
  readEntry,
  readReceiptJson,
  readTransaction,
} from '@provenance-registry/chain-client';
import type { Fingerprint } from '@provenance-registry/core';
import { InvalidResponseError } from '../errors.js';
import { notices as noticeTexts, problems as problemTexts } from '../explanations.js';
import { connectToNode } from './chainNode.js';
import { type ChainEvidence, type Inconsistency, isSameManifestId, type SourceResult, tryRead } from './evidence.js';
import type { Notice } from './types.js';

export interface ChainLocation {
  readonly rpcUrls: readonly string[];
  readonly fetch: typeof fetch | undefined;
  /** Who named the nodes. */
  readonly from: 'caller' | 'service';
  readonly address: string;
  readonly addressFrom: ChainEvidence['addressFrom'];
  /** The chain that the caller named. */
  readonly expectedChainId: number | undefined;
  /** The transaction that the service names: when it did register the file, no search is needed. */
  readonly transactionHash?: string | null | undefined;
}

/** A node may be this far behind another one. */
const NODE_LAG_MS = 10 * 60_000;

/** Reads all nodes, which must agree. */
export async function readChain(
  fingerprint: Fingerprint,
  location: ChainLocation,
  signal: AbortSignal | undefined,
): Promise<SourceResult<ChainEvidence>> {
  const results = await Promise.all(
    location.rpcUrls.map((rpcUrl) =>
      tryRead(signal, () => readNode(connectToNode(rpcUrl, signal, location.fetch), fingerprint, location, signal)),
    ),
  );
  return combineNodes(results);
}

async function readNode(
  node: JsonRpcClient,
  fingerprint: Fingerprint,
  location: ChainLocation,
  signal: AbortSignal | undefined,
): Promise<SourceResult<ChainEvidence>> {
  try {
    return await readEvidence(node, fingerprint, location, signal);
  } catch (error) {
    if (error instanceof NotARegistryError && location.addressFrom === 'service' && location.from === 'caller') {
      const reason = problemTexts.CONTRACT_MISMATCH.node(location.address, error.message);
      return { kind: 'invalid', code: 'CONTRACT_MISMATCH', reason };
    }
    const isMalformed = [InvalidProofError, InvalidResultError, NotARegistryError].some(
      (type) => error instanceof type,
    );
    if (!isMalformed || !(error instanceof Error)) throw error;
    throw new InvalidResponseError(`The node cannot be used: ${error.message}.`, { cause: error });
  }
}

async function readEvidence(
  node: JsonRpcClient,
  fingerprint: Fingerprint,
  location: ChainLocation,
  signal: AbortSignal | undefined,
): Promise<SourceResult<ChainEvidence>> {
  const { from, address, addressFrom, expectedChainId } = location;
  const chainId = await readChainId(node);
  if (expectedChainId !== undefined && chainId !== expectedChainId) {
    const reason = problemTexts.CHAIN_ID_MISMATCH.node(expectedChainId, chainId);
    return { kind: 'invalid', code: 'CHAIN_ID_MISMATCH', reason };
  }
  const entry = await readEntry(node, address, fingerprint);
  if (!entry) return { kind: 'absent' };
  const { timestamp: _, ...shown } = entry;
  const isIndependent = from === 'caller' && addressFrom === 'caller';
  const evidence = { from, isIndependent, chainId, address, addressFrom, entry: shown };
  const found = await findReceipt(node, fingerprint, entry, location, signal);
  if (!found) {
    const notice: Notice = { code: 'BLOCK_UNKNOWN', text: noticeTexts.BLOCK_UNKNOWN };
    return { kind: 'found', value: { ...evidence, problems: [], notices: [notice] } };
  }
  const { transactionHash, blockHash, blockNumber, logs } = found.receipt;
  const [header, transaction] = await Promise.all([
    readBlockHeader(node, blockHash),
    readTransaction(node, transactionHash),
  ]);
  const problems = [
    ...compareWithReceipt(entry, findRegistrationIn(logs, address, fingerprint)),
    ...compareWithBlock(entry, found, header),
    ...compareWithTransaction(entry, transaction, address),
  ];
  const registration = { transactionHash, blockNumber: Number(blockNumber), blockHash };
  const block = header && { registration, blockTime: header.timestamp };
  return { kind: 'found', value: { ...evidence, ...block, problems, notices: [] } };
}

interface FoundReceipt {
  readonly receipt: ReceiptJson;
  /** Set when the receipt was found by a search of the log. */
  readonly log?: RegistrationLog;
}

/** The receipt of the registration; undefined when the node cannot find it. */
async function findReceipt(
  node: JsonRpcClient,
  fingerprint: Fingerprint,
  entry: RegistryEntry,
  { address, transactionHash }: ChainLocation,
  signal: AbortSignal | undefined,
): Promise<FoundReceipt | undefined> {
  const named = transactionHash
    ? await readReceiptJson(node, transactionHash).catch(undefinedIfRefused(signal))
    : undefined;
  if (named && findRegistrationIn(named.logs, address, fingerprint)?.source === entry.source) return { receipt: named };
  const log = await findRegistrationLog(node, address, fingerprint, entry).catch(undefinedIfRefused(signal));
  const receipt = log && (await readReceiptJson(node, log.transactionHash));
  return receipt && { receipt, log };
}

/** Some nodes cannot search logs, and the entry has everything except block and transaction. */
function undefinedIfRefused(signal: AbortSignal | undefined) {
  return (error: unknown): undefined => {
    signal?.throwIfAborted();
    if (!(error instanceof JsonRpcError)) throw error;
  };
}

function compareWithReceipt(entry: RegistryEntry, logged: LoggedRegistration | undefined): Inconsistency[] {
  const isSame =
    logged?.source === entry.source &&
    isSameManifestId(logged.manifestId, entry.manifestId) &&
    (logged.manifestHash === undefined || logged.manifestHash === entry.manifestHash);
  if (isSame) return [];
  return [{ code: 'ENTRY_MISMATCH', reason: problemTexts.ENTRY_MISMATCH.log }];
}

function compareWithBlock(
  { timestamp }: RegistryEntry,
  { receipt, log }: FoundReceipt,
  header: Awaited<ReturnType<typeof readBlockHeader>>,
): Inconsistency[] {
  if (!header) return [{ code: 'BLOCK_MISMATCH', reason: problemTexts.BLOCK_MISMATCH.missing }];
  const isSameBlock = header.number === Number(receipt.blockNumber) && header.timestamp === timestamp;
  const isInLog =
    log === undefined || (log.blockHash === receipt.blockHash && log.blockNumber === BigInt(header.number));
  if (isSameBlock && isInLog) return [];
  return [{ code: 'BLOCK_MISMATCH', reason: problemTexts.BLOCK_MISMATCH.entry }];
}

/** Only the sender of a direct call is the registrar. */
function compareWithTransaction(
  { registeredBy, source }: RegistryEntry,
  transaction: Awaited<ReturnType<typeof readTransaction>>,
  address: string,
): Inconsistency[] {
  const isDirect = transaction?.to?.toLowerCase() === address.toLowerCase() && source === 'curated';
  if (!isDirect || transaction.from.toLowerCase() === registeredBy.toLowerCase()) return [];
  const reason = problemTexts.REGISTRANT_MISMATCH.sender(registeredBy, transaction.from);
  return [{ code: 'REGISTRANT_MISMATCH', reason }];
}

export function combineNodes(results: readonly SourceResult<ChainEvidence>[]): SourceResult<ChainEvidence> {
  const invalid = results.find(({ kind }) => kind === 'invalid');
  if (invalid) return invalid;
  const failures = results.flatMap((result) => (result.kind === 'failed' ? [result] : []));
  const found = results.flatMap((result) => (result.kind === 'found' ? [result.value] : []));
  const first = found.find(({ blockTime }) => blockTime !== undefined) ?? found[0];
  if (!first) {
    const [failure] = failures;
    return failure ?? { kind: 'absent' };
  }
  const isAbsentSomewhere = results.some(({ kind }) => kind === 'absent');
  const isRecent = first.blockTime !== undefined && Date.now() - first.blockTime * 1000 < NODE_LAG_MS;
  const notices: Notice[] = [
    ...found.flatMap((evidence) => evidence.notices),
    ...(isAbsentSomewhere && isRecent ? [{ code: 'NODE_BEHIND', text: noticeTexts.NODE_BEHIND } as const] : []),
  ];
  const disagrees = found.some((evidence) => !agree(evidence, first));
  const problems = [
    ...found.flatMap((evidence) => evidence.problems),
    ...(disagrees || (isAbsentSomewhere && !isRecent)
      ? [{ code: 'NODE_MISMATCH', reason: problemTexts.NODE_MISMATCH } as const]
      : []),
  ];
  return { kind: 'found', value: { ...first, problems, notices, unusableNode: failures[0]?.reason } };
}

/** Endpoints can change, and not every node can search its logs. */
function agree(one: ChainEvidence, other: ChainEvidence): boolean {
  const fixedParts = ({ chainId, entry: { endpoints: _, ...entry } }: ChainEvidence) =>
    JSON.stringify([chainId, entry]);
  const [block, otherBlock] = [one.registration?.blockHash, other.registration?.blockHash];
  return (
    fixedParts(one) === fixedParts(other) && (block === undefined || otherBlock === undefined || block === otherBlock)
  );
}
