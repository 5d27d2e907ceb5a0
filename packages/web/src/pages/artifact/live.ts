// An Artifact whose status moves by itself.

import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { useCallback } from 'react';
import { readArtifact } from '../../publicReads.js';
import { useService } from '../../registryClient.js';
import { type Loaded, useLoaded } from '../../ui/QueryView.js';
import { useFollowed } from '../../ui/useLiveArtifact.js';

export function useLiveArtifact(fingerprint: Fingerprint): Loaded<Artifact> {
  const service = useService();
  const load = useCallback(
    (signal: AbortSignal) => readArtifact(service, { fingerprint }, { signal }),
    [service, fingerprint],
  );
  const loaded = useLoaded(load);
  return { ...loaded, value: useFollowed(loaded.value) };
}
