// A JSON-RPC client for EVM nodes and a reader of the registry contract, for Node and browsers.

export { type BlockHeader, readBlockHeader } from './blockHeader.js';
export {
  InvalidProofError,
  InvalidResultError,
  NodeUnavailableError,
  NotARegistryError,
  ResponseTooLargeError,
} from './errors.js';
export { errorCodes, type JsonRpcCall, JsonRpcError } from './jsonRpc.js';
export { createJsonRpcClient, type JsonRpcClient, type JsonRpcClientOptions } from './jsonRpcClient.js';
export {
  type Anchor,
  type AnchoredHead,
  encodeAnchor,
  findAnchorsIn,
  readAnchoredHead,
  readAnchors,
  readLogWriter,
} from './logAnchors.js';
export {
  estimateGas,
  type Head,
  hasCode,
  nodeErrorMessage,
  type Receipt,
  readBalance,
  readBlock,
  readBlockByHash,
  readBlockNumber,
  readChainId,
  readHead,
  readReceipt,
  readReceiptJson,
  readSuggestedPriorityFee,
  readTransaction,
  readTransactionCount,
  sendRawTransaction,
} from './node.js';
export { parseNodeUrl } from './nodeUrl.js';
export type { Log } from './receiptEncoding.js';
export { type ProvenReceipt, type ReceiptProof, readReceiptProof, verifyReceiptProof } from './receiptProof.js';
export {
  findRegistrationIn,
  findRegistrationLog,
  type LoggedRegistration,
  type RegistrationLog,
  readRegistrationLogs,
  registeredFingerprints,
} from './registrationLogs.js';
export {
  decodePublicRegistration,
  encodeRegistrations,
  hasRole,
  type PublicEntry,
  type Registration,
  type RegistryEntry,
  readCuratedCount,
  readCuratedManifestIds,
  readEndpoints,
  readEntry,
  readPublicEntries,
  readSpecVersion,
  revertReason,
} from './registry.js';
export { type RegistryEvent, readRegistryEventSpans, readRegistryEvents } from './registryEvents.js';
export { BlockJson, type Hex, ReceiptJson } from './results.js';
