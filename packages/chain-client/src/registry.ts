// Reads the registry contract and encodes registrations.

import { ZERO_MANIFEST_ID } from '@provenance-registry/contract/constants';
import {
  type AbiType,
  type AbiTypes,
  address,
  bool,
  bytes,
  decodeValues,
  encodeBytes,
  encodeList,
  encodeNumber,
  list,
  string,
  struct,
  uint,
} from './abi.js';
import { errors, functionSelectors } from './contractInterface.js';
import { InvalidResultError, NotARegistryError } from './errors.js';
import { errorCodes, JsonRpcError } from './jsonRpc.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { Data, type Hex, parseResult, toQuantity } from './results.js';

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
  const call = encodeCall('resolveByBindingDetailed', encodeBytes(fingerprint, 32));
  const types = [uint, list(string), string, bytes(32), address, uint] as const;
  try {
    const result = await callRegistry(node, registry, call);
    const [source, endpoints, manifestId, manifestHash, registeredBy, timestamp] = decodeResult(result, ...types);
    if (source !== 1n && source !== 2n) throw new NotARegistryError('the contract returned an unknown source');
    return {
      source: source === 1n ? 'curated' : 'public',
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
  const words = [encodeBytes(fingerprint, 32), encodeNumber(page.offset), encodeNumber(page.limit)];
  const result = await callRegistry(node, registry, encodeCall('publicEntries', ...words));
  const entry = struct(list(string), string, bytes(32), address, uint);
  return decodeResult(result, list(entry))[0].map(([, , manifestHash, registeredBy, timestamp]) => ({
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
  const argument = encodeList(
    fingerprints.length,
    fingerprints.map((fingerprint) => encodeBytes(fingerprint, 32)),
  );
  const result = await callRegistry(node, registry, encodeCall('curatedManifestIds', argument));
  const [ids] = decodeResult(result, list(bytes(16)));
  if (ids.length !== fingerprints.length) throw new NotARegistryError('the contract returned a wrong number of ids');
  return ids.map((id) => (id === ZERO_MANIFEST_ID ? undefined : id));
}

/** The number of curated entries, as of that block. */
export async function readCuratedCount(node: JsonRpcClient, registry: string, block: bigint): Promise<bigint> {
  return readValue(node, registry, encodeCall('curatedCount'), uint, toQuantity(block));
}

export async function readSpecVersion(node: JsonRpcClient, registry: string): Promise<string> {
  return readValue(node, registry, encodeCall('c2paSpecVersion'), string);
}

export async function readEndpoints(node: JsonRpcClient, registry: string): Promise<readonly string[]> {
  return readValue(node, registry, encodeCall('endpoints'), list(string));
}

export async function hasRole(node: JsonRpcClient, registry: string, role: Hex, account: Hex): Promise<boolean> {
  const call = encodeCall('hasRole', encodeBytes(role, 32), encodeNumber(account));
  return readValue(node, registry, call, bool);
}

export function encodeRegistrations(registrations: readonly Registration[]): Hex {
  const words = registrations.flatMap(({ fingerprint, manifestId, manifestHash, userIdHash }) => [
    encodeBytes(fingerprint, 32),
    encodeBytes(manifestId, 16),
    encodeBytes(manifestHash, 32),
    encodeBytes(userIdHash, 32),
  ]);
  return encodeCall('registerManifests', encodeList(registrations.length, words));
}

/** What a direct call registers in the public registry; undefined when these bytes are another call. */
export function decodePublicRegistration(
  input: Hex,
): { readonly fingerprint: Hex; readonly manifestHash: Hex } | undefined {
  const selector = functionSelectors.registerPublicManifest;
  if (!input.startsWith(selector)) return undefined;
  try {
    const values = decodeValues(`0x${input.slice(selector.length)}`, bytes(32), list(string), string, bytes(32));
    const [fingerprint, , , manifestHash] = values;
    return { fingerprint, manifestHash };
  } catch {
    return undefined;
  }
}

/** The name of the error with which the contract reverted; undefined when the contract did not revert. */
export function revertReason(error: unknown): string | undefined {
  if (!(error instanceof JsonRpcError)) return undefined;
  const { code, data, message } = error;
  if (data !== undefined && /^0x[0-9a-f]+$/i.test(data)) return errorName(data);
  // Some nodes only say it in their message.
  return code === errorCodes.reverted || /\brevert(ed)?\b/i.test(message) ? 'no reason given' : undefined;
}

function errorName(data: string): string {
  const selector = data.slice(0, 10).toLowerCase();
  const found = errors.find((error) => error[2] === selector && data.length >= 10 + 64 * error[1]);
  return found ? found[0] : selector;
}

function encodeCall(name: keyof typeof functionSelectors, ...words: readonly string[]): Hex {
  return `0x${functionSelectors[name].slice(2)}${words.join('')}`;
}

/** Calls a function of the contract that returns one value. */
async function readValue<T>(
  node: JsonRpcClient,
  registry: string,
  call: Hex,
  type: AbiType<T>,
  block = 'latest',
): Promise<T> {
  return decodeResult(await callRegistry(node, registry, call, block), type)[0];
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

function decodeResult<T extends readonly unknown[]>(result: Hex, ...types: AbiTypes<T>): T {
  try {
    return decodeValues<T>(result, ...types);
  } catch (cause) {
    throw new NotARegistryError('the contract at this address is not a registry', { cause });
  }
}
