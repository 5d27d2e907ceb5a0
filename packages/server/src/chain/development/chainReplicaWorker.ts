// The process that executes untrusted calls to the development chain.

import { serveReplica } from '@provenance-registry/dev-chain';

serveReplica(process.argv[2] ?? '');
