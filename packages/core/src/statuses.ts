// The statuses of an Artifact and the numbers that the database stores for them.

import type { Static } from 'typebox';
import { StringEnum } from './text/text.js';

export const ArtifactStatus = StringEnum(['pending', 'submitting', 'submitted', 'failed', 'confirmed'], {
  title: 'ArtifactStatus',
  description:
    '`submitted` once the registration has enough confirmations on chain; `failed` when it can no longer succeed.',
});
export type ArtifactStatus = Static<typeof ArtifactStatus>;

export const artifactStatusCode = {
  pending: 0,
  submitting: 1,
  submitted: 2,
  failed: 3,
  confirmed: 4,
} as const satisfies Record<ArtifactStatus, number>;
