// Names of files for people.

import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/files';

export function nameOf({ metadata }: Artifact): string {
  return metadata.filename ?? texts.unnamed;
}
