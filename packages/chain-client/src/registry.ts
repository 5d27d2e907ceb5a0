// Reads the registry contract and encodes registrations.

import { contentRegistryAbi, ZERO_MANIFEST_ID } from '@provenance-registry/contract';
import {
  decodeAbiParameters,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  getAbiItem,
  isHex,
  numberToHex,
  slice,
  toFunctionSelector,
} from 'viem/utils';
import { InvalidResultError, NotARegistryError } from './errors.js';
import { errorCodes, JsonRpcError } from './jsonRpc.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { Data, type Hex, parseResult } from './results.js';

/** The year 5138, in seconds since 1970. Dates of JavaScript end far later. */
const MAX_TIMESTAMP = 100_000_000_000n;

export interface RegistryEntry {
  readonly source: 'curated' | 'public';
  readonly endpoints: readonly string[];
  readonly manifestId: string;
  readonly manifestHash: Hex;
  readonly registeredBy: Hex;
  /** The time of the block, in seconds since 1970. */
  readonly timestamp: number;
}

export interface Registration {
  readonly fingerprint: Hex;
  readonly manifestId: Hex;
  readonly manifestHash: Hex;
  readonly userIdHash: Hex;
}

/** The curated entry of a fingerprint, or else the earliest public one; undefined when there is none. */
export async function readEntry(
  node: JsonRpcClient,
  registry: string,
  fingerprint: Hex,
): Promise<RegistryEntry | undefined> {
  const resolve = { abi: contentRegistryAbi, functionName: 'resolveByBindingDetailed' } as const;
  try {
    const data = await callRegistry(node, registry, encodeFunctionData({ ...resolve, args: [fingerprint] }));
    const [source, endpoints, manifestId, manifestHash, registeredBy, timestamp] = decode(() =>
      decodeFunctionResult({ ...resolve, data }),
    );
    return {
      source: source === 1 ? 'curated' : 'public',
      endpoints,
      manifestId,
      manifestHash,
      registeredBy,
      timestamp: toSeconds(timestamp),
    };
  } catch (error) {
    if (revertReason(error) === 'ManifestNotFound') return undefined;
    throw error;
  }
}

export interface PublicEntry {
  readonly registeredBy: Hex;
  readonly manifestHash: Hex;
  /** The time of the block, in seconds since 1970. */
  readonly timestamp: number;
}

/** A page of the public entries of a fingerprint, earliest first; past the end it is empty. */
export async function readPublicEntries(
  node: JsonRpcClient,
  registry: string,
  fingerprint: Hex,
  page: { readonly offset: number; readonly limit: number },
): Promise<PublicEntry[]> {
  const read = { abi: contentRegistryAbi, functionName: 'publicEntries' } as const;
  const args = [fingerprint, BigInt(page.offset), BigInt(page.limit)] as const;
  const data = await callRegistry(node, registry, encodeFunctionData({ ...read, args }));
  return decode(() => decodeFunctionResult({ ...read, data })).map(({ registeredBy, manifestHash, timestamp }) => ({
    registeredBy,
    manifestHash,
    timestamp: toSeconds(timestamp),
  }));
}

/** The ids of these fingerprints in the curated registry, in the same order; undefined for one that it does not have. */
export async function readCuratedManifestIds(
  node: JsonRpcClient,
  registry: string,
  fingerprints: readonly Hex[],
): Promise<(Hex | undefined)[]> {
  const read = { abi: contentRegistryAbi, functionName: 'curatedManifestIds' } as const;
  const data = await callRegistry(node, registry, encodeFunctionData({ ...read, args: [fingerprints] }));
  const ids = decode(() => decodeFunctionResult({ ...read, data }));
  if (ids.length !== fingerprints.length) throw new NotARegistryError('the contract returned a wrong number of ids');
  return ids.map((id) => (id === ZERO_MANIFEST_ID ? undefined : id));
}

/** The number of curated entries, as of that block. */
export async function readCuratedCount(node: JsonRpcClient, registry: string, block: bigint): Promise<bigint> {
  const read = { abi: contentRegistryAbi, functionName: 'curatedCount' } as const;
  const data = await callRegistry(node, registry, encodeFunctionData(read), numberToHex(block));
  return decode(() => decodeFunctionResult({ ...read, data }));
}

export async function readSpecVersion(node: JsonRpcClient, registry: string): Promise<string> {
  const read = { abi: contentRegistryAbi, functionName: 'c2paSpecVersion' } as const;
  const data = await callRegistry(node, registry, encodeFunctionData(read));
  return decode(() => decodeFunctionResult({ ...read, data }));
}

export async function readEndpoints(node: JsonRpcClient, registry: string): Promise<readonly string[]> {
  const read = { abi: contentRegistryAbi, functionName: 'endpoints' } as const;
  const data = await callRegistry(node, registry, encodeFunctionData(read));
  return decode(() => decodeFunctionResult({ ...read, data }));
}

export async function hasRole(node: JsonRpcClient, registry: string, role: Hex, account: Hex): Promise<boolean> {
  const read = { abi: contentRegistryAbi, functionName: 'hasRole' } as const;
  const data = await callRegistry(node, registry, encodeFunctionData({ ...read, args: [role, account] }));
  return decode(() => decodeFunctionResult({ ...read, data }));
}

export function encodeRegistrations(registrations: readonly Registration[]): Hex {
  return encodeFunctionData({ abi: contentRegistryAbi, functionName: 'registerManifests', args: [registrations] });
}

const publicRegistration = getAbiItem({ abi: contentRegistryAbi, name: 'registerPublicManifest' });
const publicRegistrationSelector = toFunctionSelector(publicRegistration);

/** What a direct call registers in the public registry; undefined when these bytes are another call. */
export function decodePublicRegistration(
  input: Hex,
): { readonly fingerprint: Hex; readonly manifestHash: Hex } | undefined {
  if (!input.startsWith(publicRegistrationSelector)) return undefined;
  try {
    // Not by viem's decodeFunctionData, which hashes the signature of every function each time.
    const [fingerprint, , , manifestHash] = decodeAbiParameters(publicRegistration.inputs, slice(input, 4));
    return { fingerprint, manifestHash };
  } catch {
    return undefined;
  }
}

/** The name of the error with which the contract reverted; undefined when the contract did not revert. */
export function revertReason(error: unknown): string | undefined {
  if (!(error instanceof JsonRpcError)) return undefined;
  const { code, data, message } = error;
  if (isHex(data) && data !== '0x') return errorName(data);
  // Some nodes only say it in their message.
  return code === errorCodes.reverted || /\brevert(ed)?\b/i.test(message) ? 'no reason given' : undefined;
}

function errorName(data: Hex): string {
  try {
    return decodeErrorResult({ abi: contentRegistryAbi, data }).errorName;
  } catch {
    return data.slice(0, 10);
  }
}

async function callRegistry(node: JsonRpcClient, registry: string, data: Hex, block = 'latest'): Promise<Hex> {
  const result = parseResult(Data, await node.request({ method: 'eth_call', params: [{ to: registry, data }, block] }));
  if (result === '0x') throw new NotARegistryError(`there is no contract at ${registry}`);
  return result;
}

function toSeconds(timestamp: bigint): number {
  if (timestamp > MAX_TIMESTAMP) throw new InvalidResultError('the node returned an impossible timestamp');
  return Number(timestamp);
}

function decode<T>(decodeResult: () => T): T {
  try {
    return decodeResult();
  } catch (cause) {
    throw new NotARegistryError('the contract at this address is not a registry', { cause });
  }
}
