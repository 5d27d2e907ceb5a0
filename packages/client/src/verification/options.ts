// The options of a verification, and what they name.

import type { RegistryClient } from '../client.js';
import { InvalidArgumentError } from '../errors.js';
import type { Disclosure } from '../lookups/disclosure.js';
import type { EmbeddedReader } from './embedded/reader.js';
import type { MirrorSource } from './mirror/source.js';
import { extractCertificates, type RootSet } from './rootSet.js';
import type { IndependentSource } from './types.js';

/**
 * The chain as the caller knows it from elsewhere than from the service. What is left out is taken from the service, and the
 * result is then at most `consistent`: both node and contract have to be named.
 * @example
 * ```ts
 * const chain: ChainSource = { rpcUrl: 'https://rpc.example', address: '0x5FbDB2315678afecb367f032d93F642f64180aa3' };
 * ```
 */
export interface ChainSource {
  /** JSON-RPC nodes of the chain. All of them must respond and agree. */
  readonly rpcUrl?: string | readonly string[] | undefined;
  /** The contract. One that the service names, as `getContract` does, is the service's word: do not pass that on. */
  readonly address?: string | undefined;
  readonly chainId?: number | undefined;
  /** Sends the requests to these nodes, in place of the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** What `getContract` returns has it: that is the service's word, and counts as nothing named. */
  readonly abi?: never;
}

/** Without a chain that is the service's word, which callers without types may have passed on. */
export function dropServiceWord<Options extends { readonly chain?: ChainSource | undefined }>(
  options: Options,
): Options {
  return options.chain && 'abi' in options.chain ? { ...options, chain: undefined } : options;
}

/**
 * Whose file it should be.
 * @example
 * ```ts
 * const { verdict } = await verify(file, { client, chain, expect: { mark: 'a14085f5-6c7c-462f-89c6-ae168dcd55ca' } });
 * ```
 */
export interface Expectation {
  /** The id of the Mark, or its exact name at registration. Another Mark can have the same name, but not the same id. */
  readonly mark: string;
}

/**
 * The sources that {@link verify} reads. Everything in `chain`, `trustAnchorsPem`, `timestampAnchorsPem`, `logKeys`, `logContract` and
 * `policy` counts as obtained elsewhere than from the service: do not pass on what the service told you.
 * @example
 * ```ts
 * const options: VerifyOptions = { client, chain: { rpcUrl, address }, trustAnchorsPem };
 * ```
 */
export interface VerifyOptions {
  readonly client?: RegistryClient | undefined;
  /** Instead of `client`: a copy of the registry's log and manifests, which is not trusted, for when the registry is gone. */
  readonly mirror?: MirrorSource | undefined;
  readonly chain?: ChainSource | undefined;
  /** PEM certificates of the authorities that issue the certificates of trusted signers. */
  readonly trustAnchorsPem?: string | undefined;
  /** Those of time-stamp authorities; default: `trustAnchorsPem`. */
  readonly timestampAnchorsPem?: string | undefined;
  /** Keys of the registry's public log (`name+id+key`): the current one, and earlier ones. */
  readonly logKeys?: readonly string[] | undefined;
  /**
   * Instead of `logKeys`: keys of the log and of its witnesses, and how many of them have to sign, as the text of
   * c2sp.org/tlog-policy. A receipt that fewer have signed is not proof.
   */
  readonly policy?: string | undefined;
  /**
   * The contract that anchors the log, on the chain of `chain`: with a node, its anchor shows before which block the log had the
   * file. Default: the one that is stated with the keys under `trustAnchorsPem`.
   */
  readonly logContract?: string | undefined;
  /** The signed manifest (`.c2pa`), if you have it. */
  readonly manifest?: Uint8Array | undefined;
  /** Sources that must confirm independently of the service; otherwise the verdict is `incomplete`. */
  readonly require?: readonly IndependentSource[] | undefined;
  /** Whose file it should be; otherwise the verdict is `contradicted`, or `incomplete` if the Mark is hidden. */
  readonly expect?: Expectation | undefined;
  /**
   * `prefix`, the default: the service is asked for all fingerprints that start with the same digits, and does not learn
   * which file is checked unless it has it. `fingerprint`: it is sent the fingerprint.
   */
  readonly lookupBy?: Disclosure['lookupBy'] | undefined;
  /** Time limit for each source; 30 seconds by default, and 3 for the service when you name a node and trust anchors. */
  readonly timeoutMs?: number | undefined;
  /** Reads the manifest inside the file, such as in a worker thread. By default: browsers in a worker, Node here. */
  readonly embeddedReader?: EmbeddedReader | undefined;
  /** URL of `c2pa.wasm` in browsers, for bundlers that do not resolve `new URL('…', import.meta.url)`. */
  readonly c2paWasmUrl?: string | URL | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined when the caller named no trust anchors. */
export function readCallerRoots(
  options: Pick<VerifyOptions, 'trustAnchorsPem' | 'timestampAnchorsPem'>,
): RootSet | undefined {
  const { trustAnchorsPem, timestampAnchorsPem = trustAnchorsPem } = options;
  if (trustAnchorsPem === undefined) return undefined;
  const signer = extractCertificates(trustAnchorsPem);
  if (signer === '') throw new InvalidArgumentError('The trust anchors contain no certificate.');
  return { signer, timestamp: extractCertificates(timestampAnchorsPem ?? '') };
}

export function listNodes(chain: ChainSource | undefined): readonly string[] {
  const { rpcUrl = [] } = chain ?? {};
  return typeof rpcUrl === 'string' ? [rpcUrl] : rpcUrl;
}

export const SOURCE_TIMEOUT_MS = 30_000;
/** The service is not needed then: it may be gone for good. */
const DISPENSABLE_SERVICE_TIMEOUT_MS = 3_000;

export function serviceTimeout({ timeoutMs, chain, trustAnchorsPem, mirror }: VerifyOptions): number {
  const isProven = listNodes(chain).length > 0 && chain?.address !== undefined && trustAnchorsPem !== undefined;
  const isDispensable = isProven && !mirror;
  return timeoutMs ?? (isDispensable ? DISPENSABLE_SERVICE_TIMEOUT_MS : SOURCE_TIMEOUT_MS);
}
