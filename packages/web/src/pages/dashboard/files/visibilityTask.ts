// Sets the visibility of the details of many files.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';
import { describeError } from '../../../errorMessages.js';
import { SkippedError, type Task, type TaskItem } from './bulkTask.js';
import { nameOf } from './fileNames.js';

const CONCURRENCY = 4;

interface VisibilityTaskOptions {
  readonly client: RegistryClient;
  readonly userId: string;
  readonly artifacts: readonly Artifact[];
  readonly visibility: 'public' | 'private';
  readonly onChanged: (artifact: Artifact) => void;
}

export function createVisibilityTask(options: VisibilityTaskOptions): Task {
  const { client, userId, artifacts, visibility, onChanged } = options;
  const toItem = (artifact: Artifact): TaskItem => ({
    name: nameOf(artifact),
    async work(signal) {
      const { fingerprint, mark, contentVisibility } = artifact;
      if (!('admin' in mark) || mark.admin.id !== userId) throw new SkippedError(texts.notAdmin);
      if (contentVisibility !== visibility)
        onChanged(await client.setContentVisibility({ fingerprint, contentVisibility: visibility }, { signal }));
      return undefined;
    },
  });
  return {
    title: texts.visibilityTask[visibility],
    items: artifacts.map(toItem),
    concurrency: CONCURRENCY,
    describeError: (error) => describeError(error, { FORBIDDEN: texts.notAdmin }),
  };
}
