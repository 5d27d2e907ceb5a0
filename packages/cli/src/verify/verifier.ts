// Verifies one input after the other with the sources that the user chose: service, chain, sidecar or bundle.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type {
  FileVerification,
  Fingerprint,
  IndependentSource,
  RegistryClient,
  VerifiedFile,
  VerifyBundleOptions,
  VerifyOptions,
} from '@provenance-registry/client';
import { connect } from '../connect.js';
import { type Context, formatWarning } from '../context.js';
import { CommandError, FileError, UsageError } from '../errors.js';
import { readTextFile } from '../files.js';
import type { ReadableInput } from '../inputs/run.js';
import type { LookalikeResult } from '../lookalikes/finder.js';
import { hashSource } from '../targets.js';
import { toCommandError } from '../toCommandError.js';
import { loadTrust, type PinCheckResult, type Trust } from '../trust/loadTrust.js';
import { groupLookups } from './groupedLookups.js';
import { openContent, readManifestsInThreads } from './manifestReader.js';

/** Look-alikes of files without an exact match, apart from the verdict. */
export type SimilarFiles = LookalikeResult & { readonly error?: string };

/** `alarm`: the registry is not the one that was pinned. */
export type FileResult = FileVerification & { readonly alarm?: string; readonly similar?: SimilarFiles };

export interface SourceOptions {
  readonly offline: string | undefined;
  /** Hash of the block that an explorer shows; with `offline` only. */
  readonly blockHash: string | undefined;
  readonly manifest: string | undefined;
  readonly require: string | undefined;
  /** The service is sent the fingerprints. */
  readonly direct: boolean;
  /** Search for look-alikes of files without an exact match. */
  readonly similar: boolean;
}

export interface Verifier {
  /** How to get an independent confirmation. */
  readonly advice: string;
  /** What the service learned from all files so far; undefined when it was sent nothing. */
  describeDisclosures(): string | undefined;
  /** Rejects with CommandError when the file cannot be read. */
  verify(input: ReadableInput, onBytes: (bytes: number) => void): Promise<FileResult>;
}

/** Checks all sources. */
type CheckSources = (file: VerifiedFile) => Promise<FileVerification>;

export async function createVerifier(context: Context, options: SourceOptions): Promise<Verifier> {
  const { offline, manifest, blockHash, direct } = options;
  if (offline !== undefined && manifest !== undefined)
    throw new UsageError('--offline and --manifest cannot be combined.', ['verify']);
  if (blockHash !== undefined && offline === undefined)
    throw new UsageError('--block-hash requires --offline.', ['verify']);
  if (blockHash !== undefined && !/^0x[0-9a-f]{64}$/i.test(blockHash))
    throw new UsageError(`--block-hash: '${blockHash}' is not the hash of a block.`, ['verify']);
  const require = parseRequired(options.require);
  const isServiceUsed = offline === undefined && manifest === undefined;
  if (options.similar && !isServiceUsed)
    throw new UsageError('--similar asks the service: it cannot be combined with --offline or --manifest.', ['verify']);
  const connected = isServiceUsed ? await connect(context) : undefined;
  const client = connected && direct ? groupLookups(connected) : connected;
  const { pinCheck, ...trust } = await loadTrust(context, client);
  const raisedAlarm = Promise.resolve(pinCheck).then((shown) => showPinCheck(context, shown));
  const { timeoutMs } = await context.loadSettings();
  const lookup = direct ? 'fingerprint' : 'prefix';
  const sourceOptions = { ...trust, client, require, lookup, timeoutMs, signal: context.signal } as const;
  const checkSources =
    offline === undefined
      ? await createLiveCheck(context, manifest, sourceOptions)
      : await createBundleCheck(context, offline, { ...sourceOptions, blockHash });
  readManifestsInThreads();
  const disclosures = { lookups: 0, named: 0 };
  return {
    advice: await composeAdvice(context, trust, offline !== undefined),
    describeDisclosures: () => describeDisclosures(disclosures, direct),
    async verify(input, onBytes) {
      const fingerprint = await readFingerprint(context, input, onBytes);
      // Pipes cannot be read twice.
      const isRegularFile = input.kind === 'file' && input.size !== undefined;
      const content = isRegularFile ? await openInput(input) : undefined;
      const result = await checkSources({ fingerprint, content });
      if (result.lookup) disclosures.lookups += 1;
      if (result.lookup?.isFileNamed) disclosures.named += 1;
      const alarm = await raisedAlarm;
      if (alarm !== undefined) return { ...result, ...contradictAll, alarm };
      const isSearched = options.similar && result.verdict === 'unknown' && isRegularFile;
      return isSearched && connected
        ? { ...result, similar: await findSimilar(connected, input, fingerprint) }
        : result;
    },
  };
}

/** Never rejects: the verdict does not depend on it. */
async function findSimilar(
  client: RegistryClient,
  { name, path }: Extract<ReadableInput, { kind: 'file' }>,
  fingerprint: Fingerprint,
): Promise<SimilarFiles> {
  const { findLookalikes } = await import('../lookalikes/finder.js');
  try {
    return await findLookalikes(client, { name, content: { path }, fingerprint }, {});
  } catch (error) {
    const sent = error instanceof FileError ? 'nothing' : 'codes';
    return { sent, lookalikes: [], error: (await toCommandError(error)).message };
  }
}

function describeDisclosures(
  { lookups, named }: { lookups: number; named: number },
  direct: boolean,
): string | undefined {
  if (lookups === 0) return undefined;
  const files = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
  if (direct) return `The service was sent the fingerprints of ${files(lookups)}.`;
  if (named === 0) return 'The service does not learn which files you checked.';
  return `The service does not learn which files you checked, except for ${files(named)} that it has.`;
}

function showPinCheck(context: Context, { alarm, note }: PinCheckResult): string | undefined {
  if (alarm !== undefined) context.warn(alarm);
  if (note !== undefined) context.printNote(formatWarning(note));
  return alarm;
}

/** Whatever an impostor shows, no part of it is a fact. */
const contradictAll = { verdict: 'contradicted', independentSources: [], facts: [], times: [] } as const;

async function readFingerprint(
  context: Context,
  input: ReadableInput,
  onBytes: (bytes: number) => void,
): Promise<Fingerprint> {
  if (input.kind === 'fingerprint') return input.fingerprint;
  const path = input.kind === 'file' ? input.path : undefined;
  return (await hashSource(context, { name: input.name, path }, onBytes)).fingerprint;
}

async function openInput({ name, path }: Extract<ReadableInput, { kind: 'file' }>): Promise<Blob> {
  try {
    return await openContent(path);
  } catch (error) {
    throw new FileError(name, error);
  }
}

async function composeAdvice(
  context: Context,
  { trustAnchorsPem }: Pick<Trust, 'trustAnchorsPem'>,
  isOffline: boolean,
): Promise<string> {
  const { url } = await context.loadSettings();
  const node = 'name a node of the chain that you know from elsewhere with --rpc-url';
  if (isOffline)
    return `To confirm this independently, compare the hash of its block with an explorer of the chain and pass that with --block-hash, or ${node}.`;
  if (trustAnchorsPem !== undefined) return `To confirm this independently, ${node}.`;
  return `To confirm this independently, compare and pin the registry ('provenance trust add ${url.value}'), or ${node}.`;
}

const sources: readonly string[] = ['chain', 'manifest'] satisfies readonly IndependentSource[];

function isSource(name: string): name is IndependentSource {
  return sources.includes(name);
}

function parseRequired(list: string | undefined): IndependentSource[] {
  return (list?.split(',') ?? []).map((name) => {
    if (isSource(name)) return name;
    throw new UsageError(`--require takes chain, manifest or both (chain,manifest), not '${list}'.`, ['verify']);
  });
}

/** Creates a check that sends the service no request when a sidecar is given. */
async function createLiveCheck(
  context: Context,
  sidecar: string | undefined,
  options: VerifyOptions,
): Promise<CheckSources> {
  const { verifyFile } = await import('@provenance-registry/client');
  const manifest = sidecar === undefined ? undefined : await readBytes(context, sidecar);
  return (file) => verifyFile(file, { ...options, manifest });
}

async function readBytes({ cwd }: Context, name: string): Promise<Uint8Array> {
  try {
    return await readFile(resolve(cwd, name));
  } catch (error) {
    throw new FileError(name, error);
  }
}

/** Sends no request, except to nodes on the command line. */
async function createBundleCheck(
  context: Context,
  path: string,
  options: VerifyOptions & VerifyBundleOptions,
): Promise<CheckSources> {
  const { InvalidResponseError, parseBundle, readEmbeddedManifest, verifyBundle } = await import(
    '@provenance-registry/client'
  );
  const { rpcUrl } = await context.loadSettings();
  const chain = { ...options.chain, rpcUrl: rpcUrl?.from === '--rpc-url' ? rpcUrl.value : undefined };
  const text = await readTextFile(context.cwd, path);
  let bundle: ReturnType<typeof parseBundle>;
  try {
    bundle = parseBundle(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError('BAD_BUNDLE', 3, `${path}: not a bundle.`);
    if (error instanceof InvalidResponseError) throw new CommandError('BAD_BUNDLE', 3, `${path}: ${error.message}`);
    throw error;
  }
  return async ({ fingerprint, content }) => {
    const verification = await verifyBundle(bundle, { ...options, chain, fingerprint });
    const embedded = content && (await readEmbeddedManifest(content, options));
    return { ...verification, ...(embedded && { embedded }) };
  };
}
