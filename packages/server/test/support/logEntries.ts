// Leaves of the public log for Artifacts that tests record without the service.

import type { Fingerprint } from '@provenance-registry/core';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { type LoggedRegistration, registrationEntry } from '../../src/domain/log/leaves.js';
import type { NewLogEntry } from '../../src/domain/ports/index.js';

export function newLogEntry(fingerprint: Fingerprint, changes: Partial<LoggedRegistration> = {}): NewLogEntry {
  return registrationEntry({
    kind: 'artifact',
    fingerprint,
    artifactId: randomUUID(),
    markId: randomUUID(),
    isMarkPrivate: false,
    metadata: {},
    aiPreferences: null,
    manifest: newFingerprint(),
    manifestHash: newFingerprint(),
    createdAt: new Date(),
    ...changes,
  });
}
