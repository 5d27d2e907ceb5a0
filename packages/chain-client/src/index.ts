// A JSON-RPC client for EVM nodes, and the calls that the registry contract needs.

export { errorCodes, type JsonRpcCall, JsonRpcError } from './jsonRpc.js';
export {
  blockHashAt,
  connectToNode,
  curatedManifestIds,
  estimateRegistrations,
  type Head,
  isAnswer,
  nodeErrorMessage,
  type Receipt,
  type Registration,
  readHead,
  receiptOf,
  registrationCalldata,
  revertReason,
  suggestedPriorityFee,
} from './node.js';
export { NodeUnavailableError, ResponseTooLargeError } from './transport.js';
