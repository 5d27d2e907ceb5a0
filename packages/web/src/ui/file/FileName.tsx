// The name of a file as its registrant wrote it, with hidden characters shown.

import { escapeHidden } from '@provenance-registry/core';

export function FileName({ name }: { readonly name: string }) {
  return <bdi>{escapeHidden(name)}</bdi>;
}
