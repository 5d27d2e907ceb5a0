// The process that executes strangers' calls to the development chain.

import { serveReplica } from '@provenance-registry/dev-chain';

serveReplica(process.argv[2] ?? '');
