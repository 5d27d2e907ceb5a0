// Names of files for people, with hidden characters shown.

import { type Artifact, escapeHidden } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';

export function nameOf({ metadata }: Artifact): string {
  return metadata.filename === undefined ? texts.unnamed : escapeHidden(metadata.filename);
}
