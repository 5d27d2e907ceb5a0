// The hashes of logs by the digest of Node, many times faster than the portable one.

import { hash } from 'node:crypto';
import { createTreeHasher } from '@provenance-registry/log';

export const treeHasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));
