// The hashes of logs by the digest of Node, many times faster than the portable one.

import { hash } from 'node:crypto';
import { createTreeHasher, type TreeHead } from '@provenance-registry/log';

export const treeHasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));

export const EMPTY_TREE: TreeHead = { size: 0, root: treeHasher.emptyRoot };
