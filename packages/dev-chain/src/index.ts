// The development chain, and the parts of it that tests and benchmarks use.

export { ownUrl } from './access.js';
export { type DevelopmentChain, startDevelopmentChain, wellKnownAccounts } from './developmentChain.js';
export { CHAIN_ID, createEvm, type Evm } from './evm.js';
export { FolderInUseError } from './folderLock.js';
export { type JsonRpcServer, serveJsonRpc } from './jsonRpcServer.js';
export { startLimitedProcess } from './limitedProcess.js';
export { serveReplica } from './replica.js';
