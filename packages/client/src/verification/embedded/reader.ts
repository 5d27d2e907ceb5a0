// Reads the manifest inside a file with c2pa-rs, in the calling thread, without any network but for the identity of a
// service that the caller names.

import type { WasmReader as Reader } from '@contentauth/c2pa-wasm';
import { FileBytes, findManifestStore } from '@provenance-registry/c2pa';
import { Check } from 'typebox/schema';
import { unreadableManifests } from '../../explanations.js';
import { checkIdentity } from '../identity.js';
import { CrReport, formatSettings, loadC2pa } from '../manifest.js';
import type { RootSet } from '../rootSet.js';
import { readSigningTimes, type SigningTime, type SigningTimes } from '../signingTime.js';
import type { EmbeddedManifest } from './embeddedManifest.js';
import { checkIntegrity } from './integrity.js';
import { type ReportedManifest, summarizeEmbeddedReport } from './report.js';

/**
 * One file to search for a manifest, and the roots that make its signer and its time-stamp trusted, as PEM.
 * @example
 * ```ts
 * const job: EmbeddedReadJob = { content: await readFile('sunrise.jpg'), roots: { signer: '', timestamp: '' } };
 * ```
 */
export interface EmbeddedReadJob {
  readonly content: Blob | Uint8Array;
  readonly roots: RootSet;
  /** The DID of the service whose identity in the manifest is checked. */
  readonly issuer?: string | undefined;
  /** URL of `c2pa.wasm` in browsers. */
  readonly wasmUrl?: string | URL | undefined;
}

/**
 * Reads the manifest inside one file, such as in a worker thread that calls {@link readEmbedded}.
 * @example
 * ```ts
 * const embeddedReader: EmbeddedReader = (job, { timeoutMs }) => runInWorkerThread(job, timeoutMs);
 * const { verdict } = await verify(file, { client, embeddedReader });
 * ```
 */
export type EmbeddedReader = (
  job: EmbeddedReadJob,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
) => Promise<EmbeddedManifest | undefined>;

const SLICE_BYTES = 8 * 1024 * 1024;
/** The label of every manifest store. */
const MARKER = new TextEncoder().encode('c2pa');
/** PDF is recognized by its start, because its manifest may be compressed. */
const PDF = new TextEncoder().encode('%PDF');
/** c2pa-rs detects every format by its first bytes, except SVG. */
const UNKNOWN_TYPE = 'application/octet-stream';
const SVG_TYPE = 'image/svg+xml';
/** Before an SVG's root element: at most some comments and a document type. */
const SVG_PROLOGUE_BYTES = 16 * 1024;

const NO_MANIFEST = /^C2pa\((JumbfNotFound|UnsupportedType|ProvenanceMissing)/;
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^C2pa\(RemoteManifestUrl/, unreadableManifests.REMOTE],
  [/^C2pa\(InvalidAsset/, unreadableManifests.DAMAGED_FILE],
];

/**
 * Does the work of `readEmbeddedManifest` in the calling thread, for an `EmbeddedReader`.
 * @returns undefined when the file has no manifest
 * @example
 * ```ts
 * parentPort.on('message', async (job: EmbeddedReadJob) => parentPort.postMessage(await readEmbedded(job)));
 * ```
 */
export async function readEmbedded(job: EmbeddedReadJob): Promise<EmbeddedManifest | undefined> {
  const { roots, issuer } = job;
  const { summarize, findIdentity, file } = await openFile(job);
  try {
    const store = findManifestStore(file.file, file.isSvg)?.store ?? new Uint8Array();
    const times = await readSigningTimes(store, roots);
    const { summary, identities } = await summarize(roots.signer, times, issuer !== undefined);
    const { isSignerTrusted, time, fileHashUrl, ...reported } = summary;
    const manifest = checkIntegrity(reported, file, fileHashUrl);
    const isSigned = manifest.state === 'intact' && isSignerTrusted;
    const identity =
      issuer !== undefined && isSigned && identities ? await findIdentity(identities, issuer) : undefined;
    return {
      ...manifest,
      ...(identity && { identity }),
      ...(isSignerTrusted && { trustedBy: 'caller' }),
      ...(manifest.state === 'intact' && describeTime(time)),
    };
  } catch (error) {
    return explainFailure(error);
  }
}

function describeTime(time: SigningTime | undefined): Pick<EmbeddedManifest, 'timestamp'> {
  return time?.at && time.isOfNamedAuthority ? { timestamp: { at: time.at.toISOString(), trustedBy: 'caller' } } : {};
}

/** Undefined when there is no manifest. */
function explainFailure(error: unknown): EmbeddedManifest | undefined {
  // c2pa-rs throws texts.
  const message = error instanceof Error ? error.message : String(error);
  if (NO_MANIFEST.test(message)) return undefined;
  const [, reason] = reasons.find(([pattern]) => pattern.test(message)) ?? [];
  return unreadable(reason ?? unreadableManifests.UNREADABLE);
}

/** The identities that the manifests of a file state, which nothing has checked. */
interface StatedIdentities {
  readonly crReport: unknown;
  /** That of the active manifest. */
  readonly label: string;
}

interface FileReport {
  readonly summary: ReportedManifest;
  readonly identities?: StatedIdentities;
}

/** How c2pa-rs reads this file, each time from the beginning, and the file itself. */
async function openFile({ content, wasmUrl }: EmbeddedReadJob) {
  const { WasmReader } = await loadC2pa(wasmUrl);
  const format = await detectFormat(content);
  // c2pa-rs can read a Blob in workers, which saves little memory; 256 MB of SVG took more than the minute there is.
  const bytes = await toBytes(content);
  async function read<T>(settings: string, use: (reader: Reader) => T | Promise<T>): Promise<T> {
    const reader = await WasmReader.fromBytes(format, bytes, settings);
    try {
      return await use(reader);
    } finally {
      reader.free();
    }
  }
  return {
    file: { file: new FileBytes(bytes), isSvg: format === SVG_TYPE },
    summarize: (rootsPem: string, times: SigningTimes, withIdentities: boolean): Promise<FileReport> =>
      read(formatSettings(rootsPem), (reader) => ({
        summary: summarizeEmbeddedReport(JSON.parse(reader.json()), times),
        ...(withIdentities && {
          identities: { crReport: JSON.parse(reader.crJson()), label: reader.activeLabel() ?? '' },
        }),
      })),
    findIdentity: ({ crReport, label }: StatedIdentities, issuer: string) =>
      Check(CrReport, crReport)
        ? checkIdentity(crReport, label, issuer, () =>
            read<unknown>(formatSettings('', issuer), (reader) => JSON.parse(reader.json())),
          )
        : undefined,
  };
}

export function unreadable(reason: string): EmbeddedManifest {
  return { state: 'unreadable', reason, failures: [], history: [], omittedSteps: 0, permissions: {} };
}

/** False for most files, which spares them a thread and the nine megabytes of c2pa-rs. */
export async function mayHaveManifest(content: EmbeddedReadJob['content']): Promise<boolean> {
  const size = content instanceof Blob ? content.size : content.length;
  // Slices overlap, so that the marker is in one of them.
  for (let start = 0; start < size; start += SLICE_BYTES - MARKER.length) {
    const slice = await readSlice(content, start, start + SLICE_BYTES);
    if (start === 0 && PDF.every((byte, index) => slice[index] === byte)) return true;
    if (indexOf(slice, MARKER) >= 0) return true;
  }
  return false;
}

function indexOf(bytes: Uint8Array, searched: Uint8Array): number {
  const [first = 0] = searched;
  let at = bytes.indexOf(first);
  while (at >= 0 && !searched.every((byte, index) => bytes[at + index] === byte)) at = bytes.indexOf(first, at + 1);
  return at;
}

async function detectFormat(content: EmbeddedReadJob['content']): Promise<string> {
  const text = new TextDecoder().decode(await readSlice(content, 0, SVG_PROLOGUE_BYTES)).trimStart();
  return text.startsWith('<') && /<(?:[\w-]+:)?svg[\s/>]/.test(text) ? SVG_TYPE : UNKNOWN_TYPE;
}

async function readSlice(content: EmbeddedReadJob['content'], start: number, end: number): Promise<Uint8Array> {
  return content instanceof Blob ? toBytes(content.slice(start, end)) : content.subarray(start, end);
}

async function toBytes(content: EmbeddedReadJob['content']): Promise<Uint8Array> {
  return content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
}
