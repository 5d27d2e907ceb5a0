// Embeds signed manifests into images, in memory, for the formats that c2pa-rs can write.

import { MessageChannel } from 'node:worker_threads';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import type { EmbeddableType, Embedder, EmbedRequest } from '../domain/ports/index.js';
import { createWorkerPool, workerFile } from '../workers/pool.js';
import { gatheredAssertions } from './assertions.js';
import { coseSign1 } from './cose.js';
import type { EmbedJobs } from './embedWorker.js';
import { countSegments } from './jpeg.js';
import type { Signing } from './manifestStore.js';
import { measureSignatureSize } from './signatureSize.js';
import { compileC2paRs } from './wasm.js';

export const embeddableTypes = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/tiff',
  'image/gif',
  'image/svg+xml',
  'image/avif',
  'image/heic',
] as const satisfies readonly EmbeddableType[];
/** One image at a time: several copies of it are in memory while it is written. */
const MAX_WORKERS = 1;
const JOB_TIMEOUT_MS = 30_000;
/** Each keeps its image in memory. */
const MAX_QUEUED_JOBS = 16;
/** Ending an idle worker frees the memory that a large image leaves allocated. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * The time of c2pa-rs grows with the square of this number, to minutes for a crafted image of one megabyte. The largest
 * accepted image has about a thousand, even if all of it is a manifest.
 */
const MAX_JPEG_SEGMENTS = 2_048;

const settings = JSON.stringify({
  verify: { verify_after_sign: false, remote_manifest_fetch: false, ocsp_fetch: false },
  builder: { thumbnail: { enabled: false } },
});

export async function createEmbedder(signing: Signing): Promise<Embedder & { close(): Promise<void> }> {
  const pool = createWorkerPool<EmbedJobs>({
    file: workerFile('embedWorker'),
    maxWorkers: MAX_WORKERS,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    maxQueuedJobs: MAX_QUEUED_JOBS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    workerData: { wasm: await compileC2paRs() },
  });
  return {
    typeFor: (mediaType) => embeddableTypes.find((type) => type === mediaType),
    async embed(request) {
      if (request.mediaType === 'image/jpeg' && countSegments(request.bytes) > MAX_JPEG_SEGMENTS) {
        throw new Error('the image has too many segments');
      }
      const signatureSize = await measureSignatureSize(signing);
      const { port1, port2 } = new MessageChannel();
      port1.on('message', async (claim: Uint8Array) =>
        port1.postMessage(await signClaim(claim, signing, signatureSize)),
      );
      const job = {
        format: request.mediaType,
        bytes: request.bytes,
        definition: JSON.stringify(manifestDefinition(request, signing)),
        settings,
        algorithm: signing.signer.algorithm === 'EdDSA' ? 'ed25519' : signing.signer.algorithm.toLowerCase(),
        signatureSize,
        signing: port2,
      };
      try {
        return await pool.run('embed', job, [port2]);
      } finally {
        port1.close();
      }
    },
    close: () => pool.close(),
  };
}

async function signClaim(claim: Uint8Array, { signer, timestamper }: Signing, size: number) {
  try {
    return { signature: new Uint8Array(await coseSign1(claim, signer, timestamper, size)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function manifestDefinition({ mediaType, fingerprint, title, claims }: EmbedRequest, { generator }: Signing) {
  return {
    claim_version: 2,
    claim_generator_info: [generator],
    format: mediaType,
    ...(title !== undefined && { title }),
    assertions: [
      {
        label: 'c2pa.soft-binding',
        created: true,
        // c2pa-rs accepts only JSON here, so the value is base64 instead of the sidecar's bytes.
        data: {
          alg: SOFT_BINDING_ALGORITHM,
          blocks: [{ scope: {}, value: Buffer.from(fingerprint).toString('base64') }],
          pad: [],
        },
      },
      ...gatheredAssertions(claims).map(({ label, format, content }) => ({
        label,
        data: content,
        ...(format === 'json' && { kind: 'Json' }),
      })),
    ],
  };
}
