// The leaves that register files.

import type { FollowedLeaf, Leaf, LeafContent } from '@provenance-registry/log';

/** What a leaf says of a file, if it registers one. */
export type LoggedRegistration = LeafContent<'artifact'>;

export interface RegisteredLeaf {
  readonly index: number;
  readonly entry: Uint8Array;
  readonly content: LoggedRegistration;
}

export function registrationOf(leaf: Leaf | undefined): LoggedRegistration | undefined {
  return leaf?.kind === 'artifact' || leaf?.kind === 'rendition' ? leaf.content : undefined;
}

export function listRegistrations(leaves: readonly FollowedLeaf[]): RegisteredLeaf[] {
  return leaves.flatMap(({ index, entry, leaf }) => {
    const content = registrationOf(leaf);
    return content ? [{ index, entry, content }] : [];
  });
}
