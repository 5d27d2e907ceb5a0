// Signed copies: renditions of Artifacts, each the registered image with its manifest embedded. Every signed image is
// recorded before it is returned, so that it is found like the original, and no one else can register it.

import { createHash, randomUUID } from 'node:crypto';
import { type Fingerprint, fingerprintOf, MAX_RENDITIONS, RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import { unknownArtifactError } from '../errors.js';
import { hashManifest, registrationEntry } from '../log/leaves.js';
import { requireWriteAccess, requireWriteAccessAgain } from '../marks/marks.js';
import type {
  EmbeddableType,
  EmbeddedManifest,
  NewSignedCopy,
  Ports,
  StoredArtifact,
  WritableMark,
} from '../ports/index.js';
import { requireActive } from '../tiers.js';
import {
  describeFile,
  embedManifest,
  findEmbeddableType,
  inspectManifest,
  readPublishedStatements,
  readSidecar,
} from './artifactManifest.js';
import type { SignedCopy, UploadedFile } from './creationRequest.js';

/** Hashed in a millisecond. */
const HASH_SLICE_BYTES = 1_048_576;

export async function createSignedCopy(
  ports: Ports,
  caller: Caller,
  fingerprint: Fingerprint,
  file: UploadedFile | undefined,
): Promise<{ artifact: StoredArtifact; image: SignedCopy }> {
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') throw unknownArtifactError();
  const authorized = await requireWriteAccess(ports.store, caller, artifact.markId);
  if (!file) throw new RegistryError('BAD_REQUEST', 'The form has no file.');
  if (fingerprintOf(file.digest) !== artifact.fingerprint) {
    throw new RegistryError('BAD_REQUEST', 'The file is not the registered one.');
  }
  requireRoom(artifact);
  // Its first bytes tell the type; hashes of the content are not needed.
  const media = await ports.media.inspect(file.bytes, undefined, { isWhole: false, client: caller.user.id });
  const imageType = findEmbeddableType(ports, file, media);
  if (!imageType) {
    throw new RegistryError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Only JPEG, PNG, WebP, TIFF, GIF, SVG, AVIF and HEIC images can carry a manifest.',
    );
  }
  const parent = await inspectManifest(ports, caller, authorized.mark, file, media);
  const image = await addSignedCopy(ports, caller, artifact, authorized, file, imageType, parent);
  return { artifact, image };
}

/** Signs a copy of the file and records it. The caller may write under the Mark, and the file is the Artifact's. */
export async function addSignedCopy(
  ports: Ports,
  caller: Caller,
  artifact: StoredArtifact,
  authorized: WritableMark,
  file: UploadedFile,
  imageType: EmbeddableType,
  parent: EmbeddedManifest | undefined,
): Promise<SignedCopy> {
  const { mark, confirmedDomains } = authorized;
  // Checked again when the copy is recorded; this saves the work of signing one.
  requireRoom(artifact);
  if (mark.organization) await requireActive(ports.store, mark.organization.id);
  const published = await readPublishedStatements(ports, artifact.id);
  const { filename: _filename, previousFingerprint: _previous, ...unnamed } = artifact.metadata;
  const metadata = artifact.contentPrivate ? unnamed : artifact.metadata;
  const { aiPreferences } = artifact;
  const captured = { metadata, aiPreferences };
  const statements = await describeFile(ports, { mark, confirmedDomains }, captured, published);
  const image = await embedManifest(ports, file, imageType, { ...statements, ...(parent && { parent }) });
  const signedCopy = {
    ...(await newSignedCopy(image)),
    artifactId: artifact.id,
    markId: mark.id,
    createdBy: caller.user.id,
    createdAt: ports.clock(),
    traceContext: ports.tracer.currentContext(),
  };
  const logged = {
    ...{ kind: 'rendition' as const, fingerprint: signedCopy.fingerprint, artifactId: artifact.id, markId: mark.id },
    ...{ metadata: artifact.metadata, aiPreferences, createdAt: signedCopy.createdAt },
    manifest: hashManifest(await readSidecar(ports, artifact.id)),
    manifestHash: artifact.manifestHash,
  };
  const recordAs = ({ accessVersion, mark: { visibility } }: WritableMark) => {
    const logEntry = registrationEntry({ ...logged, isMarkPrivate: visibility === 'private' });
    return ports.store.artifacts.recordSignedCopy({ ...signedCopy, accessVersion, visibility, logEntry });
  };
  let result = await recordAs(authorized);
  while (result === 'accessChanged') {
    const writable = await requireWriteAccessAgain(ports.store, caller, mark.id);
    if (mark.organization) await requireActive(ports.store, mark.organization.id);
    result = await recordAs(writable);
  }
  if (result === 'full') throw fullError();
  if (result === 'gone') throw unknownArtifactError();
  if (result === 'duplicate') throw new RegistryError('CONFLICT', 'This signed copy is registered already.');
  ports.work.announce();
  return image;
}

export type SignedCopyFacts = Pick<NewSignedCopy, 'id' | 'fingerprint' | 'mediaType'>;

export async function newSignedCopy({ bytes, mediaType }: SignedCopy): Promise<SignedCopyFacts> {
  return { id: randomUUID(), fingerprint: fingerprintOf(await hashInSlices(bytes)), mediaType };
}

/** Other requests are served in between. */
async function hashInSlices(bytes: Uint8Array): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASH_SLICE_BYTES) {
    hash.update(bytes.subarray(start, start + HASH_SLICE_BYTES));
    await new Promise(setImmediate);
  }
  return hash.digest();
}

function requireRoom({ renditions }: StoredArtifact): void {
  if (renditions.length >= MAX_RENDITIONS) throw fullError();
}

function fullError(): RegistryError {
  return new RegistryError('CONFLICT', `The Artifact has ${MAX_RENDITIONS} signed copies already.`);
}
