// Makes evidence bundles of many files, and packs them into one archive. A module of its own, because the verifier is large
// and loads on demand.

import { makeBundle, type RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';
import { describeError, quoteService } from '../../../errorMessages.js';
import type { ZipEntry } from '../../../ui/file/zip.js';
import { saveArchives } from './archives.js';
import { SkippedError, type Task, type TaskItem } from './bulkTask.js';
import { nameOf } from './fileNames.js';

/** Each takes a few requests to the service and its node. */
const CONCURRENCY = 3;

export function createBundleTask(client: RegistryClient, artifacts: readonly Artifact[]): Task {
  const bundles = new Map<string, ZipEntry>();
  const toItem = (artifact: Artifact): TaskItem => ({
    name: nameOf(artifact),
    async work(signal) {
      if (artifact.status === 'failed') throw new SkippedError(texts.failedHasNoBundle);
      const bundle = await makeBundle(artifact.fingerprint, { client, signal });
      const content = new Blob([JSON.stringify(bundle)], { type: 'application/json' });
      bundles.set(artifact.id, { path: `${nameOf(artifact)}.bundle.json`, content });
      return bundle.chain ? undefined : texts.bundleWithoutProof;
    },
  });
  return {
    title: texts.bundlesTitle,
    lead: texts.bundlesLead,
    items: artifacts.map(toItem),
    concurrency: CONCURRENCY,
    describeError: (error) => describeError(error, { NOT_FOUND: quoteService }),
    async finish() {
      // In the order of the selection, not that in which they were ready.
      const ordered = artifacts.flatMap(({ id }) => bundles.get(id) ?? []);
      bundles.clear();
      await saveArchives(ordered, texts.bundlesArchive);
      return undefined;
    },
  };
}
