// Embeds signed manifests into images, in memory. An embedded manifest states what the sidecar does, with a hard binding to
// the image that contains it. Every signed image is read back before it is returned.

import { randomUUID } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { Embedder, EmbedRequest } from '../../domain/ports/index.js';
import { WorkerPool, workerFile } from '../../workers/pool.js';
import { bindingOf, type WritableType, writableTypes } from '../containers/index.js';
import { describeStatements } from '../manifest/assertions.js';
import { hardBindingAssertion } from '../manifest/hardBinding.js';
import { identityAssertions } from '../manifest/identityAssertion.js';
import type { Signing } from '../manifest/manifestStore.js';
import { prepareEmbeddedManifest } from './embeddedManifest.js';
import type { EmbedJobs } from './embedWorker.js';
import { requireIntact, type SignedCopyReader } from './readBack.js';

/** The budget of the HTTP layer lets no more through: several copies of an image are in memory while it is written. */
const MAX_RUNNING = 2;
/**
 * An image takes milliseconds, a crafted one of the largest size a second, its signature and time-stamp up to ten. Less than
 * the 30 s after which a creation counts as abandoned; reading it back has a limit of its own, and a creation that takes
 * longer begins its draft again.
 */
const JOB_TIMEOUT_MS = 15_000;
/** Ending an idle worker frees the memory that a large image leaves allocated. */
const IDLE_TIMEOUT_MS = 60_000;

export function createEmbedder(
  signing: Signing,
  reader: SignedCopyReader,
): Embedder & { check(): Promise<void>; close(): Promise<void> } {
  // The additional worker is for checks.
  const pool = new WorkerPool<EmbedJobs>({
    file: workerFile('embedWorker'),
    maxWorkers: MAX_RUNNING + 1,
    maxQueuedJobs: 0,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });

  async function embed(mediaType: WritableType, request: EmbedRequest): Promise<Uint8Array> {
    const { assertions, ingredientManifests } = describeStatements(request, request.fingerprint);
    const label = `urn:c2pa:${randomUUID()}`;
    const identity = identityAssertions(request, signing);
    const describe = (hardBinding: Uint8Array) => ({
      label,
      title: request.title,
      assertions: [...assertions, hardBindingAssertion(bindingOf(mediaType), hardBinding), ...identity],
      ingredientManifests,
    });
    const { storeSize, buildStore } = await prepareEmbeddedManifest(describe, signing);
    let isSigned = false;
    let signedStore = new Uint8Array();
    const result = await pool.run(
      'embed',
      { mediaType, bytes: request.bytes, storeSize },
      {
        async handleQuery(hardBinding) {
          if (isSigned) throw new Error('only one manifest is signed for an image');
          isSigned = true;
          signedStore = new Uint8Array(await buildStore(hardBinding));
          return signedStore;
        },
      },
    );
    if ('refusal' in result) throw new RegistryError('BAD_REQUEST', result.refusal);
    requireIntact(await reader.readCopy({ mediaType, bytes: result.image, signedStore }), label, request);
    return result.image;
  }

  const typeFor = (mediaType: string | undefined) => writableTypes.find((type) => type === mediaType);
  return {
    typeFor,
    embed(request) {
      const mediaType = typeFor(request.mediaType);
      if (!mediaType) throw new Error(`no manifest can be embedded in ${request.mediaType}`);
      return embed(mediaType, request);
    },
    check: () => pool.check('check', undefined),
    close: () => pool.close(),
  };
}
