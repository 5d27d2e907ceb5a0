// Verifies one input after the other with the sources that the user chose: service, chain, sidecar or bundle.

import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type {
  Fingerprint,
  HashedFile,
  IndependentSource,
  LookalikeSearch,
  RegistryClient,
  Verification,
  VerifyBundleOptions,
  VerifyOptions,
} from '@provenance-registry/client';
import { compileC2pa } from '@provenance-registry/client/node';
import { connectUnchecked } from '../connect.js';
import { type Context, formatWarning } from '../context.js';
import { CommandError, FileError, orFileError, UsageError } from '../errors.js';
import type { ReadableInput } from '../inputs/run.js';
import { hashInput } from '../targets.js';
import { toCommandError } from '../toCommandError.js';
import { loadTrust, readPin } from '../trust/loadTrust.js';
import { checkBeside, type RegistryCheck } from '../trust/registryCheck.js';
import { adviseOn } from './advice.js';
import { groupLookups } from './groupedLookups.js';
import { manifestReader } from './manifestReader.js';
import { OpenedContent } from './openedContent.js';

/** Look-alikes of files without an exact match, apart from the verdict. */
export type SimilarFiles = LookalikeSearch & { readonly error?: string };

/** `alarm`: the registry is not the one that was pinned or remembered. */
export type FileResult = Verification & { readonly alarm?: string; readonly similar?: SimilarFiles };

export interface SourceOptions {
  readonly bundle?: string | undefined;
  /** Hash of the block that an explorer shows; with `bundle` only. */
  readonly blockHash?: string | undefined;
  /** The same of the block that anchors the log. */
  readonly anchorBlockHash?: string | undefined;
  readonly manifest?: string | undefined;
  /** The address or folder of a copy of the registry's log and manifests. */
  readonly mirror?: string | undefined;
  readonly require?: string | undefined;
  /** The ID or the exact name of the Mark whose file it should be. */
  readonly expectMark?: string | undefined;
  /** The service is sent the fingerprints. */
  readonly direct?: boolean;
  /** Search for look-alikes of files without an exact match. */
  readonly similar?: boolean;
}

export interface Verifier {
  /** What to run to get a verified result; undefined for one that is. */
  advise(name: string, result: FileResult): string | undefined;
  /** What the service learned from all files so far; undefined when it was sent nothing. */
  describeDisclosures(): string | undefined;
  /** Rejects with CommandError when the file cannot be read. */
  verify(input: ReadableInput, onBytes: (bytes: number) => void): Promise<FileResult>;
}

/** Checks all sources. */
type CheckSources = (file: HashedFile) => Promise<Verification>;

export async function createVerifier(context: Context, options: SourceOptions): Promise<Verifier> {
  checkOptions(options);
  const { bundle, manifest, mirror, blockHash, anchorBlockHash, direct = false } = options;
  const require = parseRequired(options.require);
  const expect = options.expectMark === undefined ? undefined : { mark: options.expectMark };
  const connected = isServiceUsed(options) ? await connectUnchecked(context) : undefined;
  const registry = connected && (await checkBeside(context, connected));
  const client = registry && direct ? groupLookups(registry.client) : registry?.client;
  const trust = await loadTrust(context, registry ? registry.pin : await readPin(context));
  const shownCheck = Promise.resolve(registry?.check ?? {}).then((check) => showRegistryCheck(context, check));
  const settings = await context.loadSettings();
  const { timeoutMs } = settings;
  const lookupBy = direct ? 'fingerprint' : 'prefix';
  const own = { client, require, expect, lookupBy, timeoutMs, embeddedReader: manifestReader } as const;
  const sourceOptions = { ...trust, ...own, signal: context.signal };
  const checkSources =
    bundle === undefined
      ? await createLiveCheck(context, { manifest, mirror }, sourceOptions)
      : await createBundleCheck(context, bundle, { ...sourceOptions, blockHash, anchorBlockHash });
  const { distrustRegistry, explanations, requireRegistryCheck } = await import('@provenance-registry/client');
  const disclosures = { lookups: 0, named: 0 };

  /** Also counts what the service has learned. */
  async function verifyFile(file: HashedFile): Promise<FileResult> {
    const result = await checkSources(file);
    if (result.disclosure) disclosures.lookups += 1;
    if (result.disclosure?.fingerprintDisclosed) disclosures.named += 1;
    const { alarm, failure } = await shownCheck;
    if (alarm !== undefined) return { ...distrustRegistry(result), alarm };
    return failure ? requireRegistryCheck(result, failure.reason) : result;
  }

  return {
    advise: (name, result) => adviseOn(name, result, { settings, trust, options }),
    describeDisclosures: () =>
      disclosures.lookups === 0
        ? undefined
        : explanations.disclosedOfMany(lookupBy, disclosures.lookups, disclosures.named),
    async verify(input, onBytes) {
      // Pipes cannot be read twice.
      if (input.kind !== 'file' || input.size === undefined) {
        return verifyFile({ fingerprint: await hashInput(context, input, onBytes) });
      }
      // Everything is about what was opened once.
      const { name, handle = await orFileError(name, open(input.path)) } = input;
      try {
        const fingerprint = await hashInput(context, { name, handle }, onBytes);
        const content = new OpenedContent(handle, (await handle.stat()).size);
        const result = await verifyFile({ fingerprint, content });
        const isSearched = options.similar && result.verdict === 'unknown';
        return isSearched && connected
          ? { ...result, similar: await findSimilar(connected, { name, handle }, fingerprint) }
          : result;
      } finally {
        if (handle !== input.handle) await handle.close();
      }
    },
  };
}

function isServiceUsed({ bundle, manifest, mirror }: SourceOptions): boolean {
  return bundle === undefined && manifest === undefined && mirror === undefined;
}

function checkOptions(options: SourceOptions): void {
  const { bundle, manifest, mirror, blockHash, anchorBlockHash, expectMark, similar, direct } = options;
  if ([bundle, manifest, mirror].filter((source) => source !== undefined).length > 1)
    throw new UsageError('Only one of --bundle, --manifest and --mirror can be given.');
  if (mirror !== undefined && direct)
    throw new UsageError('--direct asks the service: it cannot be combined with --mirror.');
  for (const [flag, hash] of [
    ['--block-hash', blockHash],
    ['--anchor-block-hash', anchorBlockHash],
  ]) {
    if (hash !== undefined && bundle === undefined) throw new UsageError(`${flag} requires --bundle.`);
    if (hash !== undefined && !/^0x[0-9a-f]{64}$/i.test(hash))
      throw new UsageError(`${flag}: '${hash}' is not the hash of a block.`);
  }
  if (similar && !isServiceUsed(options))
    throw new UsageError('--similar asks the service: it cannot be combined with --bundle, --manifest or --mirror.');
  if (expectMark === '') throw new UsageError('--expect-mark needs the ID or the name of a Mark.');
}

/** Never rejects: the verdict does not depend on it. */
async function findSimilar(
  client: RegistryClient,
  { name, handle }: { readonly name: string; readonly handle: FileHandle },
  fingerprint: Fingerprint,
): Promise<SimilarFiles> {
  const { findLookalikes } = await import('../lookalikes/finder.js');
  try {
    return await findLookalikes(client, { name, content: { handle }, fingerprint }, {});
  } catch (error) {
    const sent = error instanceof FileError ? 'nothing' : 'perceptualHashes';
    return { sent, lookalikes: [], error: (await toCommandError(error)).message };
  }
}

function showRegistryCheck(context: Context, check: RegistryCheck): RegistryCheck {
  const { alarm, note } = check;
  if (alarm !== undefined) context.warn(alarm);
  if (note !== undefined) context.printNote(formatWarning(note));
  return check;
}

const sources: readonly string[] = ['chain', 'manifest', 'log'] satisfies readonly IndependentSource[];

function isSource(name: string): name is IndependentSource {
  return sources.includes(name);
}

function parseRequired(list: string | undefined): IndependentSource[] {
  return (list?.split(',') ?? []).map((name) => {
    if (isSource(name)) return name;
    throw new UsageError(`--require takes chain, manifest and log, separated by commas, not '${list}'.`);
  });
}

/** Creates a check that sends the service no request when a sidecar or a copy is given. */
async function createLiveCheck(
  context: Context,
  { manifest: sidecar, mirror: place }: Pick<SourceOptions, 'manifest' | 'mirror'>,
  options: VerifyOptions,
): Promise<CheckSources> {
  const { verify } = await import('@provenance-registry/client');
  const manifest =
    sidecar === undefined ? undefined : await orFileError(sidecar, readFile(resolve(context.cwd, sidecar)));
  if (place === undefined) return (file) => verify(file, { ...options, manifest });
  const { openMirrorSource } = await import('../log/source.js');
  const mirror = openMirrorSource(context, place);
  const chain = await limitToNamedNodes(context, options.chain);
  return (file) => verify(file, { ...options, chain, mirror });
}

/** Without the service, only nodes on the command line get a request. */
async function limitToNamedNodes(context: Context, chain: VerifyOptions['chain']): Promise<VerifyOptions['chain']> {
  const { rpcUrl } = await context.loadSettings();
  return { ...chain, rpcUrl: rpcUrl?.from === '--rpc-url' ? rpcUrl.value : undefined };
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
  // Beside all that comes before the manifest is read. A failure is reported then.
  compileC2pa().catch(() => {});
  const chain = await limitToNamedNodes(context, options.chain);
  const bytes = await orFileError(path, readFile(resolve(context.cwd, path)));
  let bundle: ReturnType<typeof parseBundle>;
  try {
    // Decoding would otherwise replace what is not UTF-8.
    bundle = parseBundle(JSON.parse(isUtf8(bytes) ? bytes.toString('utf8') : ''));
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
