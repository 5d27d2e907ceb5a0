// Makes signed copies of selected files, whose originals the user chooses again. Only files that match are sent.

import type { RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import { type Artifact, MAX_RENDITIONS } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';
import { describeCopyError } from '../../../signedCopyRequest.js';
import { canHoldManifest, copyName } from '../../../ui/artifact/signedCopies.js';
import type { ZipEntry } from '../../../ui/file/zip.js';
import { saveArchives } from './archives.js';
import { SkippedError, type Task, type TaskItem } from './bulkTask.js';

/** The service signs one image of a user at a time; the next one is sent meanwhile. */
const CONCURRENCY = 2;

export function createCopyTask(client: RegistryClient, selected: readonly Artifact[], files: readonly File[]): Task {
  const byFingerprint = new Map(selected.map((artifact) => [artifact.fingerprint, artifact]));
  const chosen = new Set<string>();
  const copies: ZipEntry[] = [];
  const toItem = (file: File): TaskItem => ({
    name: file.name,
    async work(signal) {
      const { fingerprint } = await hashBlob(file, { signal });
      const artifact = byFingerprint.get(fingerprint);
      if (!artifact) throw new SkippedError(texts.notSelected);
      chosen.add(fingerprint);
      requireCopyable(artifact, file);
      // Not aborted: a copy whose response is lost counts as one of the three.
      const { image, mediaType } = await client.createSignedCopy({ fingerprint, file });
      copies.push({ path: copyName(file.name), content: new Blob([image], { type: mediaType }) });
      return undefined;
    },
  });
  return {
    title: texts.copiesTitle,
    items: files.map(toItem),
    concurrency: CONCURRENCY,
    describeError: describeCopyError,
    async finish() {
      await saveArchives(copies.splice(0), texts.copiesArchive);
      const missing = byFingerprint.size - chosen.size;
      return missing > 0 ? texts.notChosen(missing) : undefined;
    },
  };
}

function requireCopyable({ status, renditions }: Artifact, { name, type, size }: File): void {
  if (status === 'failed') throw new SkippedError(texts.copyOfFailed);
  if (renditions.length >= MAX_RENDITIONS) throw new SkippedError(texts.copiesUsedUp(MAX_RENDITIONS));
  const isPossible = canHoldManifest({ filename: name, mediaType: type || undefined, size });
  if (!isPossible) throw new SkippedError(texts.noCopyOfType);
}
