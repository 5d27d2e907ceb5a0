// Receipts: proofs that registrations are in the public log.

import {
  type Fingerprint,
  type LogReceipt,
  type LogState,
  type PublishedAnchor,
  RegistryError,
} from '@provenance-registry/core';
import { encodeUtf8, parseLeaf } from '@provenance-registry/log';
import type { Reader } from '../caller.js';
import { unknownArtifactError } from '../errors.js';
import { findMark, mayWrite } from '../marks/marks.js';
import type { Ports, StoredArtifact, WaitOptions } from '../ports/index.js';

/** Between two looks for a receipt: checkpoints are published a few times a second. */
const POLL_MS = 100;
/** A client that does not wait should ask again after this time. */
const RETRY_AFTER_SECONDS = 1;

interface FoundReceipt extends LogReceipt {
  readonly index: number;
}

/** The receipt of a registration; waits for it if it is not ready. */
export async function readReceipt(
  ports: Ports,
  reader: Reader,
  fingerprint: Fingerprint,
  options: WaitOptions,
): Promise<LogReceipt> {
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') throw unknownArtifactError();
  const found = await awaitReceipt(ports, reader, { id: artifact.id, markId: artifact.markId, fingerprint }, options);
  if (found) {
    const { index, ...receipt } = found;
    const anchor = await ports.log.findAnchor(index);
    return { ...receipt, ...(anchor && { anchor }) };
  }
  throw new RegistryError('NOT_FOUND', 'The public log does not have this registration yet.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export async function readLastAnchor({ log }: Pick<Ports, 'log'>): Promise<PublishedAnchor> {
  const anchor = await log.readLastAnchor();
  if (!anchor) throw new RegistryError('NOT_FOUND', 'The public log has no anchor on chain.');
  return anchor;
}

/** What the log says about a registration that was just made: with the receipt if it is ready in time. */
export async function awaitLogState(
  ports: Ports,
  reader: Reader,
  {
    id,
    fingerprint,
    mark,
  }: { readonly id: string; readonly fingerprint: Fingerprint; readonly mark: { readonly id: string } },
  options: WaitOptions,
): Promise<LogState> {
  const found = await awaitReceipt(ports, reader, { id, fingerprint, markId: mark.id }, options);
  return found ? { status: 'included', ...found } : { status: 'pending' };
}

/** Of an Artifact with this fingerprint, which may be that of a signed copy. */
interface Registration extends Pick<StoredArtifact, 'id' | 'markId'> {
  readonly fingerprint: Fingerprint;
}

async function awaitReceipt(
  ports: Ports,
  reader: Reader,
  registration: Registration,
  { waitMs, giveWay }: WaitOptions,
): Promise<FoundReceipt | undefined> {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const found = await findReceipt(ports, reader, registration);
    const leftMs = endsAt - performance.now();
    if (found || leftMs <= 0) return found;
    await giveWay(() => new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MS, leftMs))));
  }
}

async function findReceipt(
  ports: Ports,
  reader: Reader,
  { id, fingerprint, markId }: Registration,
): Promise<FoundReceipt | undefined> {
  const index = await ports.store.log.findLeafIndex(fingerprint);
  const receipt = index === undefined ? undefined : await ports.log.readReceipt(index);
  const leaf = receipt && parseLeaf(encodeUtf8(receipt.leaf));
  if (index === undefined || !receipt || (leaf?.kind !== 'artifact' && leaf?.kind !== 'rendition')) return undefined;
  // The last leaf of the file may be one of an Artifact that has failed.
  if (leaf.content.id !== id) return undefined;
  const hidden = 'hidden' in leaf.content ? leaf.content.hidden : undefined;
  const opening =
    hidden && (await maySee(ports, reader, markId)) ? await ports.store.log.findOpening(hidden) : undefined;
  return { index, ...receipt, ...(opening && { opening }) };
}

async function maySee({ store }: Ports, reader: Reader, markId: string): Promise<boolean> {
  const mark = await findMark(store, markId);
  return mark.visibility === 'public' || mayWrite(store, reader, mark);
}
