// Artifacts: reading them, and what each reader may see.

import {
  type Artifact,
  type ArtifactMetadata,
  type ArtifactSort,
  type ArtifactStatus,
  aiPreferencesOf,
  type Fingerprint,
  type Mark,
  RegistryError,
} from '@provenance-registry/core';
import type { Caller, Reader } from '../caller.js';
import { unknownArtifactError } from '../errors.js';
import { contentEntry } from '../log/leaves.js';
import { findMark, lockMarkAsAdmin, mayWrite, withoutMembers } from '../marks/marks.js';
import { type PageRequest, readPage } from '../pages.js';
import type { ArtifactFilters, Ports, StoredArtifact, WaitOptions } from '../ports/index.js';

export async function readArtifact(ports: Ports, reader: Reader, fingerprint: Fingerprint): Promise<Artifact> {
  const artifact = await findArtifact(ports, fingerprint);
  const mark = await findMark(ports.store, artifact.markId);
  return toArtifactView(ports, artifact, mark, await mayWrite(ports.store, reader, mark));
}

/** Returns when the status changes, or after `waitMs` at the latest. */
export async function awaitArtifact(
  ports: Ports,
  reader: Reader,
  fingerprint: Fingerprint,
  { waitMs, giveWay }: WaitOptions,
): Promise<Artifact> {
  const { id, status } = await findArtifact(ports, fingerprint);
  if (status === 'pending' || status === 'submitting') {
    await giveWay(() => ports.statusChanges.waitForChange(id, status, waitMs));
  }
  return readArtifact(ports, reader, fingerprint);
}

export async function listArtifacts(
  ports: Ports,
  reader: Reader,
  markId: string,
  { status, ...page }: PageRequest & { status?: ArtifactStatus },
): Promise<{ artifacts: Artifact[]; nextCursor: string | null }> {
  const mark = await findMark(ports.store, markId);
  const isWriter = await mayWrite(ports.store, reader, mark);
  if (mark.visibility === 'private' && !isWriter) throw new RegistryError('FORBIDDEN', 'This Mark is private.');
  const { rows, nextCursor } = await readPage(page, (limit, after) =>
    ports.store.artifacts.list({ markId, status, limit, after }),
  );
  return { artifacts: rows.map((artifact) => toArtifactView(ports, artifact, mark, isWriter)), nextCursor };
}

/** Lists the Artifacts of all Marks that the caller may register under. */
export async function listOwnArtifacts(
  ports: Ports,
  { user, keyOrganizationId }: Caller,
  { sort = 'newest', limit, cursor, ...filters }: ArtifactFilters & PageRequest & { sort?: ArtifactSort },
): Promise<{ artifacts: Artifact[]; nextCursor: string | null }> {
  const writer = keyOrganizationId === undefined ? { userId: user.id } : { organizationId: keyOrganizationId };
  const { rows, nextCursor } = await readPage({ limit, cursor }, (limit, after) =>
    ports.store.artifacts.listWritable({ ...filters, writer, sort, limit, after }),
  );
  const views = rows.map(async (artifact) =>
    toArtifactView(ports, artifact, await findMark(ports.store, artifact.markId), true),
  );
  return { artifacts: await Promise.all(views), nextCursor };
}

export async function setContentVisibility(
  ports: Ports,
  caller: Caller,
  fingerprint: Fingerprint,
  contentVisibility: 'public' | 'private',
): Promise<Artifact> {
  const artifact = await findArtifact(ports, fingerprint);
  return ports.store.transaction(async (store) => {
    const mark = await lockMarkAsAdmin(store, caller, artifact.markId);
    const contentPrivate = await store.artifacts.setContentPrivate(artifact.id, contentVisibility === 'private');
    const changed = toArtifactView(ports, { ...artifact, contentPrivate }, mark, true);
    await store.log.append(contentEntry(artifact.fingerprint, changed.contentVisibility, { time: ports.clock() }));
    return changed;
  });
}

/** Writers of the Mark see everything; other readers what the visibility of Mark and content allows. */
export function toArtifactView(ports: Ports, artifact: StoredArtifact, mark: Mark, isWriter: boolean): Artifact {
  const isOpen = isWriter || mark.visibility === 'public';
  const { license, licenseKey, allowAiTraining } = artifact.metadata;
  return {
    id: artifact.id,
    fingerprint: artifact.fingerprint,
    mark: isOpen ? withoutMembers(mark) : { id: mark.id, visibility: 'private' },
    status: artifact.status,
    errorReason: artifact.errorReason,
    transactionHash: artifact.transactionHash,
    ...(artifact.chainEntry && {
      chainEntry: { ...artifact.chainEntry, blockTime: artifact.chainEntry.blockTime.toISOString() },
    }),
    metadata: visibleMetadata(artifact, isOpen, isWriter),
    createdBy: isOpen ? artifact.createdBy : null,
    ...(isOpen && license && { license }),
    ...(isOpen && licenseKey && { licenseKey }),
    ...(isOpen &&
      allowAiTraining !== undefined && {
        allowAiTraining,
        aiPreferences: aiPreferencesOf({ allowAiTraining, aiPreferences: artifact.aiPreferences }),
      }),
    contentVisibility: artifact.contentPrivate ? 'private' : 'public',
    fileSeen: artifact.metadata.fileSeen ?? false,
    authorshipStated: artifact.authorshipStated,
    ...(isOpen ? describeDomains(artifact, mark) : { verifiedDomains: [], domainsAtRegistration: [] }),
    claims: artifact.claims,
    renditions: artifact.renditions.map((signedCopy) => ({
      ...signedCopy,
      kind: 'signed-image',
      createdAt: signedCopy.createdAt.toISOString(),
    })),
    c2paAssets: assetUrls(ports, artifact.id),
    createdAt: artifact.createdAt.toISOString(),
  };
}

function describeDomains({ domainsAtRegistration }: StoredArtifact, { verifiedDomains }: Mark) {
  const knownThen = new Set(domainsAtRegistration.map(({ domain }) => domain));
  return {
    verifiedDomains: verifiedDomains.map((domain) => ({
      ...domain,
      verifiedAtRegistration: knownThen.has(domain.domain),
    })),
    domainsAtRegistration: domainsAtRegistration.map(({ since, until, ...domain }) => ({
      ...domain,
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
    })),
  };
}

export function assetUrls({ cdnUrl }: Pick<Ports, 'cdnUrl'>, id: string) {
  return {
    assetId: id,
    manifestUrl: `${cdnUrl}/${id}.json`,
    manifestBinaryUrl: `${cdnUrl}/${id}.c2pa`,
    signedAssetUrl: `${cdnUrl}/${id}.png`,
  };
}

/** `isOpen`: the Mark is public, or the reader may write under it. */
export function visibleMetadata(
  artifact: Pick<StoredArtifact, 'metadata' | 'contentPrivate'>,
  isOpen: boolean,
  isWriter: boolean,
): ArtifactMetadata {
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
  const {
    filename: _filename,
    size: _size,
    pHash: _pHash,
    dHash: _dHash,
    pHashCenter90: _pHashCenter90,
    pHashCenter80: _pHashCenter80,
    chromaprint: _chromaprint,
    ...rest
  } = open;
  return rest;
}

async function findArtifact(ports: Ports, fingerprint: Fingerprint): Promise<StoredArtifact> {
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact) throw unknownArtifactError();
  return artifact;
}
