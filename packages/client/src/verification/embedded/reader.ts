// Reads the manifest inside a file with c2pa-rs, in the calling thread, without any network but for the identity of a
// service that the caller names.

import type { WasmReader as Reader } from '@contentauth/c2pa-wasm';
import { Check } from 'typebox/schema';
import { checkIdentity } from '../identity.js';
import { CrReport, formatSettings, loadC2pa, type RootSet } from '../manifest.js';
import type { EmbeddedManifest } from './embeddedManifest.js';
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
}

const SLICE_BYTES = 8 * 1024 * 1024;
/** The label of every manifest store. */
const MARKER = new TextEncoder().encode('c2pa');
/** PDF is recognized by its start, because its manifest may be compressed. */
const PDF = new TextEncoder().encode('%PDF');
/** c2pa-rs detects every format by its first bytes, except SVG. */
const UNKNOWN_TYPE = 'application/octet-stream';
/** Before an SVG's root element: at most some comments and a document type. */
const SVG_PROLOGUE_BYTES = 16 * 1024;

const NO_MANIFEST = /^C2pa\((JumbfNotFound|UnsupportedType|ProvenanceMissing)/;
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^C2pa\(RemoteManifestUrl/, 'The file refers to a manifest at another address, which is not loaded.'],
  [/^C2pa\(InvalidAsset/, 'The file is damaged, so that no manifest in it can be read.'],
];

/**
 * Does the work of `readEmbeddedManifest` in the calling thread, for an `EmbeddedReader`.
 * @returns undefined when the file has no manifest
 * @example
 * ```ts
 * parentPort.on('message', async (job: EmbeddedReadJob) => parentPort.postMessage(await readEmbedded(job)));
 * ```
 */
export async function readEmbedded({ content, roots, issuer }: EmbeddedReadJob): Promise<EmbeddedManifest | undefined> {
  // Spares most files the nine megabytes of c2pa-rs.
  if (!(await mayHaveManifest(content))) return undefined;
  const { summarize, findIdentity } = await openFile(content);
  try {
    const { isSignerTrusted, isTimestampTrusted, ...manifest } = await summarize(roots.signer);
    const { timestamp } = manifest;
    // Read separately, because c2pa-rs has one list of roots: a time-stamp authority must not make a signer trusted.
    const isTimeTrusted =
      roots.timestamp === roots.signer ? isTimestampTrusted : (await summarize(roots.timestamp)).isTimestampTrusted;
    const isSigned = manifest.state === 'intact' && isSignerTrusted;
    const identity = issuer !== undefined && isSigned ? await findIdentity(issuer) : undefined;
    return {
      ...manifest,
      ...(identity && { identity }),
      ...(isSignerTrusted && { trustedBy: 'caller' }),
      ...(timestamp && { timestamp: { ...timestamp, ...(isTimeTrusted && { trustedBy: 'caller' }) } }),
    };
  } catch (error) {
    return explainFailure(error);
  }
}

/** Undefined when there is no manifest. */
function explainFailure(error: unknown): EmbeddedManifest | undefined {
  // c2pa-rs throws texts.
  const message = error instanceof Error ? error.message : String(error);
  if (NO_MANIFEST.test(message)) return undefined;
  const [, reason] = reasons.find(([pattern]) => pattern.test(message)) ?? [];
  return unreadable(reason ?? 'The manifest in the file cannot be read.');
}

/** How c2pa-rs reads this file, each time from the beginning. */
async function openFile(content: EmbeddedReadJob['content']) {
  const { WasmReader } = await loadC2pa();
  const format = await detectFormat(content);
  async function read<T>(settings: string, use: (reader: Reader) => T | Promise<T>): Promise<T> {
    const reader = await (content instanceof Blob && 'FileReaderSync' in globalThis
      ? WasmReader.fromBlob(format, content, settings)
      : WasmReader.fromBytes(format, await toBytes(content), settings));
    try {
      return await use(reader);
    } finally {
      reader.free();
    }
  }
  return {
    summarize: (rootsPem: string): Promise<ReportedManifest> =>
      read(formatSettings(rootsPem), (reader) => summarizeEmbeddedReport(JSON.parse(reader.json()))),
    findIdentity: (issuer: string) =>
      read(formatSettings(''), (reader) => {
        const crReport: unknown = JSON.parse(reader.crJson());
        const again = () => read<unknown>(formatSettings('', issuer), (second) => JSON.parse(second.json()));
        return Check(CrReport, crReport)
          ? checkIdentity(crReport, reader.activeLabel() ?? '', issuer, again)
          : undefined;
      }),
  };
}

export function unreadable(reason: string): EmbeddedManifest {
  return { state: 'unreadable', reason, failures: [], history: [], omittedSteps: 0, permissions: {} };
}

async function mayHaveManifest(content: EmbeddedReadJob['content']): Promise<boolean> {
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
  return text.startsWith('<') && /<(?:[\w-]+:)?svg[\s/>]/.test(text) ? 'image/svg+xml' : UNKNOWN_TYPE;
}

async function readSlice(content: EmbeddedReadJob['content'], start: number, end: number): Promise<Uint8Array> {
  return content instanceof Blob ? toBytes(content.slice(start, end)) : content.subarray(start, end);
}

async function toBytes(content: EmbeddedReadJob['content']): Promise<Uint8Array> {
  return content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
}
