// Embeds signed manifests into images, in memory, for the formats that c2pa-rs can write.

import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import type { EmbeddableType, Embedder, EmbedRequest } from '../domain/ports/index.js';
import { createFairLimit } from '../workers/fairLimit.js';
import { gatheredAssertions } from './assertions.js';
import { createC2paProcesses } from './c2paProcesses.js';
import { coseSign1 } from './cose.js';
import type { Signing } from './manifestStore.js';
import { measureSignatureSize } from './signatureSize.js';

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

/** Few: several copies of an image are in memory while it is written. */
const MAX_RUNNING = 2;
const limits = {
  name: 'embedding',
  maxRunning: MAX_RUNNING,
  /** So that another client's image never waits for those of one client alone. */
  maxRunningPerClient: 1,
  /** Each keeps its image in memory. */
  maxWaiting: 16,
  maxWaitingPerClient: 4,
  maxWaitingPerLane: 4,
  /** Long enough for two images before it; see also the time limit of a job. */
  maxWaitMs: 10_000,
};

const settings = JSON.stringify({
  verify: { verify_after_sign: false, remote_manifest_fetch: false, ocsp_fetch: false },
  builder: { thumbnail: { enabled: false } },
});

export function createEmbedder(signing: Signing): Embedder & { check(): Promise<void>; close(): Promise<void> } {
  const limit = createFairLimit(limits);
  // Images wait in the limit, so that each is copied only when a worker is free. The additional worker is for checks.
  const pool = createC2paProcesses({ maxWorkers: MAX_RUNNING + 1, maxQueuedJobs: 0 });

  async function embed(request: EmbedRequest): Promise<Uint8Array> {
    const signatureSize = await measureSignatureSize(signing);
    let isSigned = false;
    return pool.run(
      'embed',
      {
        format: request.mediaType,
        bytes: request.bytes,
        definition: JSON.stringify(manifestDefinition(request, signing)),
        settings,
        algorithm: signing.signer.algorithm === 'EdDSA' ? 'ed25519' : signing.signer.algorithm.toLowerCase(),
        signatureSize,
      },
      {
        async answer(claim) {
          if (isSigned) throw new Error('only one claim is signed for an image');
          isSigned = true;
          return new Uint8Array(await coseSign1(claim, signing.signer, signing.timestamper, signatureSize));
        },
      },
    );
  }

  return {
    typeFor: (mediaType) => embeddableTypes.find((type) => type === mediaType),
    embed: (request) => limit({ client: request.client }, () => embed(request)),
    check: () => pool.check('check', undefined),
    close: () => pool.close(),
  };
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
