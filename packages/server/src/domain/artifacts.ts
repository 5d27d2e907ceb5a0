// Artifacts: what is shown of them to whom.

import {
  type Artifact,
  type ArtifactMetadata,
  type ArtifactStatus,
  type Fingerprint,
  type Mark,
  RegistryError,
} from '@provenance-registry/core';
import { type Caller, confine, type Reader } from './caller.js';
import { findMark, mayWrite, withoutMembers } from './marks.js';
import type { Ports, StoredArtifact } from './ports/index.js';

const LIST_PAGE = 50;

export async function readArtifact(ports: Ports, reader: Reader, fingerprint: Fingerprint): Promise<Artifact> {
  const artifact = await findArtifact(ports, fingerprint);
  const mark = await findMark(ports.store, artifact.markId);
  return show(ports, artifact, mark, await mayWrite(ports.store, reader, mark));
}

/** The Artifact when its status has changed, or as it is after so much time. */
export async function awaitArtifact(
  ports: Ports,
  reader: Reader,
  fingerprint: Fingerprint,
  waitMs: number,
): Promise<Artifact> {
  const { id, status } = await findArtifact(ports, fingerprint);
  if (status === 'pending' || status === 'submitting') await ports.statusChanges.after(id, status, waitMs);
  return readArtifact(ports, reader, fingerprint);
}

export async function listArtifacts(
  ports: Ports,
  reader: Reader,
  markId: string,
  { status, limit = LIST_PAGE, cursor }: { status?: ArtifactStatus; limit?: number; cursor?: string },
): Promise<{ artifacts: Artifact[]; nextCursor: string | null }> {
  const mark = await findMark(ports.store, markId);
  const isWriter = await mayWrite(ports.store, reader, mark);
  if (mark.visibility === 'private' && !isWriter) throw new RegistryError('FORBIDDEN', 'This Mark is private.');
  // One more than asked for tells whether there is another page.
  const found = await ports.store.artifacts.list({ markId, status, limit: limit + 1, after: cursor });
  const shown = found.slice(0, limit);
  return {
    artifacts: shown.map((artifact) => show(ports, artifact, mark, isWriter)),
    nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

export async function setContentVisibility(
  ports: Ports,
  caller: Caller,
  fingerprint: Fingerprint,
  contentVisibility: 'public' | 'private',
): Promise<Artifact> {
  const artifact = await findArtifact(ports, fingerprint);
  const mark = await findMark(ports.store, artifact.markId);
  confine(caller, mark.organization?.id);
  if (mark.admin.id !== caller.user.id) {
    throw new RegistryError('FORBIDDEN', 'Only the admin of this Mark may do this.');
  }
  const contentPrivate = contentVisibility === 'private';
  await ports.store.artifacts.setContentPrivate(artifact.id, contentPrivate);
  return show(ports, { ...artifact, contentPrivate }, mark, true);
}

/** To those who may write under the Mark, everything; to others what Mark and content leave them. */
export function show(ports: Ports, artifact: StoredArtifact, mark: Mark, isWriter: boolean): Artifact {
  const isOpen = isWriter || mark.visibility === 'public';
  const { license, licenseKey, allowAiTraining } = artifact.metadata;
  return {
    id: artifact.id,
    fingerprint: artifact.fingerprint,
    mark: isOpen ? withoutMembers(mark) : { id: mark.id, visibility: 'private' },
    status: artifact.status,
    errorReason: artifact.errorReason,
    transactionHash: artifact.transactionHash,
    metadata: metadataFor(artifact, isOpen, isWriter),
    createdBy: isOpen ? artifact.createdBy : null,
    ...(isOpen && license && { license }),
    ...(isOpen && licenseKey && { licenseKey }),
    ...(isOpen && allowAiTraining !== undefined && { allowAiTraining }),
    contentVisibility: artifact.contentPrivate ? 'private' : 'public',
    c2paAssets: assetsOf(ports, artifact.id),
    createdAt: artifact.createdAt.toISOString(),
  };
}

export function assetsOf({ cdnUrl }: Pick<Ports, 'cdnUrl'>, id: string) {
  return {
    assetId: id,
    manifestUrl: `${cdnUrl}/${id}.json`,
    manifestBinaryUrl: `${cdnUrl}/${id}.c2pa`,
    signedAssetUrl: `${cdnUrl}/${id}.png`,
  };
}

function metadataFor(artifact: StoredArtifact, isOpen: boolean, isWriter: boolean): ArtifactMetadata {
  const { kind, mediaType, pHash, chromaprint } = artifact.metadata;
  const open: ArtifactMetadata = isOpen
    ? artifact.metadata
    : {
        kind,
        ...(mediaType !== undefined && { mediaType }),
        ...(pHash !== undefined && { pHash }),
        ...(chromaprint !== undefined && { chromaprint }),
      };
  if (isWriter || !artifact.contentPrivate) return open;
  const { filename: _filename, size: _size, pHash: _pHash, chromaprint: _chromaprint, ...rest } = open;
  return rest;
}

async function findArtifact(ports: Ports, fingerprint: Fingerprint): Promise<StoredArtifact> {
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact) throw new RegistryError('NOT_FOUND', 'This fingerprint has no Artifact.');
  return artifact;
}
