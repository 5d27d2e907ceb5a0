// Reads the manifests inside untrusted files with c2pa-rs, in isolated processes: recognizes those that this service signed,
// reads those that are evidence, and reads signed copies back before they leave.

import { parseSoftBindingValue, RegistryError } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type {
  EmbeddedManifest,
  ManifestInspector,
  TimestampedManifest,
  TimestampedManifestReader,
  TimestampedManifestRequest,
} from '../../domain/ports/index.js';
import { FairLimit } from '../../workers/fairLimit.js';
import { runSlice } from '../../workers/slices.js';
import type { ReadCopy, SignedCopyReader } from '../embedding/readBack.js';
import { ValidationResults } from '../manifest/report.js';
import { createC2paProcesses } from './c2paProcesses.js';
import type { InspectJob } from './inspectManifest.js';
import { readerSettings, type TrustedIssuer } from './readerSettings.js';

/** Few: several copies of a file are in memory while it is read. */
const MAX_RUNNING = 2;
const limits = {
  name: 'recognition',
  maxRunning: MAX_RUNNING,
  /** So that another client's file never waits for those of one client alone. */
  maxRunningPerClient: 1,
  /** Each keeps its file in memory. */
  maxWaiting: 64,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  /** Some files of the largest size. Creations wait before their draft begins, which would count as abandoned after 30 s. */
  maxWaitMs: 30_000,
};

/** As many signed copies as are made at once: they have a limit of their own, and may wait for a worker. */
const MAX_QUEUED_COPIES = 2;

/** The types of the boxes at the start of every manifest store. */
const STORE_MARKER = Buffer.from('jumdc2pa');
/** The element of an SVG that holds the store in base64. */
const SVG_MARKER = Buffer.from('c2pa:manifest');

/** Searched in a millisecond or two. */
const SEARCH_SLICE_BYTES = 2_097_152;

/** Checked, because a file may have taken control of the worker. */
const TimestampedInspection = Type.Object({
  store: Type.Unsafe<Uint8Array>({}),
  failures: Type.Array(Type.String()),
  digests: Type.Array(Type.String()),
  matchesFile: Type.Boolean(),
  timestamp: Type.Optional(
    Type.Object({
      token: Type.Unsafe<Uint8Array>({}),
      data: Type.Unsafe<Uint8Array>({}),
      time: Type.String(),
      isTrusted: Type.Boolean(),
    }),
  ),
});

export interface InspectorOptions {
  /** Roots of the signatures and time-stamps that the reader trusts. */
  readonly trustAnchorsPem: string;
  /** Whose identity credentials the reader trusts. */
  readonly issuer?: TrustedIssuer | undefined;
  /** Whether this service has signed with the certificate that has this SHA-256. */
  readonly isOwnCertificate: (sha256: Uint8Array) => Promise<boolean>;
}

export function createManifestInspector({
  trustAnchorsPem,
  issuer,
  isOwnCertificate,
}: InspectorOptions): ManifestInspector &
  TimestampedManifestReader &
  SignedCopyReader & { check(): Promise<void>; close(): Promise<void> } {
  const limit = new FairLimit(limits);
  const settings = readerSettings(trustAnchorsPem, issuer);
  // Files wait in the limit, so that each is copied only when a worker is free. The additional worker is for checks.
  const pool = createC2paProcesses({ maxWorkers: MAX_RUNNING + 1, maxQueuedJobs: MAX_QUEUED_COPIES });

  async function inspect(file: Omit<InspectJob, 'settings'>): Promise<(EmbeddedManifest & ReadCopy) | undefined> {
    const inspection = await pool
      .run(
        'inspect',
        { ...file, settings },
        { handleQuery: async (sha256) => Uint8Array.of((await isOwnCertificate(sha256)) ? 1 : 0) },
      )
      // The file could be one of ours, which others may not register.
      .catch(throwUnavailable);
    if (!inspection) return undefined;
    const { store, validationResults, softBinding } = inspection;
    const ownFingerprint = softBinding === undefined ? undefined : parseSoftBindingValue(softBinding);
    // Checked: a file may have taken control of the worker.
    const results = Value.Parse(ValidationResults, JSON.parse(validationResults));
    Value.Clean(ValidationResults, results);
    return { store, validationResults: results, ...(ownFingerprint && { ownFingerprint }) };
  }

  async function readTimestamped(request: TimestampedManifestRequest): Promise<TimestampedManifest | undefined> {
    const { bytes, mediaType, trustAnchorsPem } = request;
    const job = { bytes, mediaType, settings: readerSettings(trustAnchorsPem) };
    const found = await pool.run('readTimestamped', job).catch(throwUnavailable);
    if (!found) return undefined;
    const { digests, timestamp, ...inspection } = Value.Parse(TimestampedInspection, found);
    return {
      ...inspection,
      fingerprints: digests.flatMap((digest) => parseSoftBindingValue(digest) ?? []),
      timestamp: timestamp && { ...timestamp, time: new Date(timestamp.time) },
    };
  }

  return {
    async inspect({ client, mediaType, bytes }) {
      if (mediaType === undefined || !(await mayHaveManifest(client, mediaType, bytes))) return undefined;
      return limit.run({ client }, () => inspect({ mediaType, bytes }));
    },
    readCopy: inspect,
    readTimestamped: (request) => limit.run({ client: request.client }, () => readTimestamped(request)),
    check: () => pool.check('check', undefined),
    close: () => pool.close(),
  };
}

/** The worker was killed. */
function throwUnavailable(error: unknown): never {
  throw error instanceof RegistryError
    ? error
    : new RegistryError('UNAVAILABLE', 'The manifest in the file could not be read in time.', { cause: error });
}

/** Spares files without a manifest, which are most, everything else. */
async function mayHaveManifest(client: string, mediaType: string, bytes: Uint8Array): Promise<boolean> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const marker = mediaType === 'image/svg+xml' ? SVG_MARKER : STORE_MARKER;
  for (let start = 0; start < buffer.length; start += SEARCH_SLICE_BYTES) {
    const slice = buffer.subarray(start, start + SEARCH_SLICE_BYTES + marker.length - 1);
    if (await runSlice(client, () => slice.includes(marker))) return true;
  }
  return false;
}
