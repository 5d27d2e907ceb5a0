// Reads the manifest inside an untrusted file, in a worker process: its store, what c2pa-rs finds about it, and the soft
// binding if this service signed it.

import { createHash } from 'node:crypto';
import type { WasmReader } from '@contentauth/c2pa-wasm';
import { childOf } from '@provenance-registry/c2pa';
import { canonicalJson } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { QueryHost } from '../../workers/jobs.js';
import { extractManifestStore, isSvg } from '../containers/index.js';
import { assetReport, parseReport, readSoftBinding } from '../manifest/report.js';
import { readSign1, readSignerX509 } from '../signing/cose.js';
import { findUncovered } from './checkBinding.js';
import type { ReaderSettings } from './readerSettings.js';
import { openReader } from './readManifest.js';

/** Missing in Node's types. */
declare const WebAssembly: { readonly RuntimeError: ErrorConstructor };

export interface InspectJob {
  /** The type that was detected from the bytes. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly settings: ReaderSettings;
  /** Of a file that the service has just signed: the store that it embedded, under a label that no other manifest has. */
  readonly signedStore?: Uint8Array;
}

export interface Inspection {
  readonly store: Uint8Array;
  /** JSON. */
  readonly validationResults: string;
  /** Soft binding of an intact manifest that this service signed. */
  readonly softBinding?: string;
}

/** Some twenty generations with thumbnails. A larger history is no history. */
const MAX_STORE_BYTES = 8 * 1024 * 1024;
/** Some thousand results. The service parses them. */
const MAX_RESULTS_LENGTH = 512 * 1024;

const Claims = Type.Object({
  manifests: Type.Array(
    Type.Object({
      label: Type.String(),
      'claim.v2': Type.Optional(Type.Unknown()),
      /** The claim of C2PA 1. */
      claim: Type.Optional(Type.Unknown()),
    }),
  ),
});

/**
 * Undefined when the file has no manifest that can be read.
 * @param queryHost takes the SHA-256 of a certificate; the first byte of the result is 1 if this service signed with it
 */
export async function inspectManifest(job: InspectJob, queryHost: QueryHost): Promise<Inspection | undefined> {
  const store = extractManifestStore(job.bytes, job.mediaType);
  if (!store || store.length > MAX_STORE_BYTES) return undefined;
  const reader = await openFile(job).catch(refuse);
  if (!reader) return undefined;
  try {
    const report: unknown = JSON.parse(reader.json());
    const uncovered = findUncovered(report, job.bytes, job.mediaType);
    const { activeManifest, ...results } = parseReport(report).validation_results;
    const failure = [...activeManifest.failure, ...(uncovered ? [uncovered] : [])];
    const validationResults = JSON.stringify({ ...results, activeManifest: { ...activeManifest, failure } });
    if (validationResults.length > MAX_RESULTS_LENGTH) return undefined;
    const softBinding = uncovered ? undefined : await findOwnBinding(report, reader, store, job, queryHost);
    return { store: Uint8Array.from(store), validationResults, ...(softBinding !== undefined && { softBinding }) };
  } finally {
    reader.free();
  }
}

/** After a trap, c2pa-rs is in no defined state: the worker ends, and the next job gets a new one. */
export function refuse(error: unknown): undefined {
  if (error instanceof WebAssembly.RuntimeError) process.exit(1);
  return undefined;
}

/** c2pa-rs detects every format by its first bytes, except SVG. */
export function openFile({ mediaType, bytes, settings }: InspectJob): Promise<WasmReader> {
  const format = isSvg(mediaType) ? mediaType : 'application/octet-stream';
  return openReader(format, bytes, settings);
}

async function findOwnBinding(
  report: unknown,
  reader: WasmReader,
  store: Uint8Array,
  { settings, signedStore }: InspectJob,
  queryHost: QueryHost,
): Promise<string | undefined> {
  try {
    const { active_manifest } = assetReport(report);
    const { protectedHeader } = readSign1(childOf(Buffer.from(store), active_manifest));
    const [isOwn] = await queryHost(createHash('sha256').update(readSignerX509(protectedHeader)).digest());
    if (isOwn !== 1) return undefined;
    const isSame = signedStore
      ? Buffer.from(store).equals(signedStore)
      : await isSameClaim(reader, store, active_manifest, settings);
    return isSame ? readSoftBinding(report) : undefined;
  } catch (error) {
    // Not intact, or not of the form that this service writes.
    return refuse(error);
  }
}

/**
 * A file could show one manifest to c2pa-rs and another one to us. So c2pa-rs also reads the store that we found: its
 * signature must be valid, and its claim, which has the hash of the hard binding, the one that matches the file.
 */
export async function isSameClaim(
  file: WasmReader,
  store: Uint8Array,
  label: string,
  settings: ReaderSettings,
): Promise<boolean> {
  const sidecar = await openReader('application/c2pa', store, settings);
  try {
    const { active_manifest, validation_results } = parseReport(JSON.parse(sidecar.json()));
    const isSigned = validation_results.activeManifest.success.some(({ code }) => code === 'claimSignature.validated');
    const [one, other] = [file, sidecar].map((reader) => readClaim(reader, label));
    return active_manifest === label && isSigned && one !== undefined && one === other;
  } finally {
    sidecar.free();
  }
}

function readClaim(reader: WasmReader, label: string): string | undefined {
  const { manifests } = Value.Parse(Claims, JSON.parse(reader.crJson()));
  const manifest = manifests.find((candidate) => candidate.label === label);
  const claim = manifest?.['claim.v2'] ?? manifest?.claim;
  return claim === undefined ? undefined : canonicalJson(claim);
}
