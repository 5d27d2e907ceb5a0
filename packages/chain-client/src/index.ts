// A JSON-RPC client for EVM nodes and a reader of the registry contract, for Node and browsers.

export { InvalidResultError, NodeUnavailableError, NotARegistryError, ResponseTooLargeError } from './errors.js';
export { errorCodes, type JsonRpcCall, JsonRpcError } from './jsonRpc.js';
export { createJsonRpcClient, type JsonRpcClient, type JsonRpcClientOptions } from './jsonRpcClient.js';
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
  readTransactionCount,
  sendRawTransaction,
} from './node.js';
export { parseNodeUrl } from './nodeUrl.js';
export {
  findRegistrationIn,
  findRegistrationLog,
  type RegistrationLog,
  readRegistrationLogs,
  registeredFingerprints,
} from './registrationLogs.js';
export {
  encodeRegistrations,
  hasRole,
  type Registration,
  type RegistryEntry,
  readCuratedManifestIds,
  readEndpoints,
  readEntry,
  readSpecVersion,
  revertReason,
} from './registry.js';
export { BlockJson, type Hex, ReceiptJson } from './results.js';
