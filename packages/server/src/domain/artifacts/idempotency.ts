// Idempotency records: a creation that is retried with the same idempotency key returns the response of the first attempt.

import { createHash } from 'node:crypto';
import {
  type Artifact,
  canonicalJson,
  type Fingerprint,
  fingerprintOf,
  RegistryError,
} from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import { findMark } from '../marks/marks.js';
import type { NewIdempotencyRecord, Ports } from '../ports/index.js';
import { toArtifactView } from './artifacts.js';
import type { CreationRequest } from './creationRequest.js';

const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

/** Undefined for a request without an idempotency key. */
export function newIdempotencyRecord(
  caller: Caller,
  request: CreationRequest,
  response: Artifact,
  createdAt: Date,
): NewIdempotencyRecord | undefined {
  const { idempotencyKey: key } = request;
  if (key === undefined) return undefined;
  return { callerId: callerId(caller), key, requestHash: hashRequest(request), response, since: expiryOf(createdAt) };
}

/** The response to the first request with this key. Throws CONFLICT when that was a different request. */
export async function findFirstResponse(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
): Promise<Artifact | undefined> {
  const { idempotencyKey: key } = request;
  if (key === undefined) return undefined;
  const record = await ports.store.idempotencyRecords.find(callerId(caller), key, expiryOf(ports.clock()));
  if (!record) return undefined;
  if (record.requestHash !== hashRequest(request)) {
    throw new RegistryError('CONFLICT', 'This idempotency key was used for another request.');
  }
  return record.response ?? describeArtifact(ports, record.artifactId);
}

/** In place of a response whose form is that of an earlier release: the same Artifact, as it is now. */
async function describeArtifact(ports: Ports, id: string): Promise<Artifact | undefined> {
  const artifact = await ports.store.artifacts.findById(id);
  return artifact && toArtifactView(ports, artifact, await findMark(ports.store, artifact.markId), true);
}

export async function deleteExpiredIdempotencyRecords({ store, clock }: Ports): Promise<void> {
  await store.idempotencyRecords.deleteOlderThan(expiryOf(clock()));
}

/** Records created before this have expired. */
function expiryOf(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_TTL_MS);
}

function callerId({ keyOrganizationId, user }: Caller): string {
  return keyOrganizationId ?? user.id;
}

/** Hash of the request's content: a file counts by its fingerprint, however it was sent. */
function hashRequest({ file: _file, idempotencyKey: _key, embed: _embed, ...content }: CreationRequest): Fingerprint {
  return fingerprintOf(createHash('sha256').update(canonicalJson(content)).digest());
}
