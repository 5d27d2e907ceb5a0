// The hashes of the tree, by the fastest function of the platform.

import { hash } from 'node:crypto';
import { createTreeHasher } from '@provenance-registry/log';

export const treeHasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));
