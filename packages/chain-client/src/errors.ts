// What can go wrong when reading a chain. A call that the node rejects is a JsonRpcError.

/** The node is unreachable, too slow, or does not speak JSON-RPC. A call that it received may have been executed. */
export class NodeUnavailableError extends Error {
  override readonly name: string = 'NodeUnavailableError';
}

/** The node sent more than the caller's limit. */
export class ResponseTooLargeError extends NodeUnavailableError {
  override readonly name = 'ResponseTooLargeError';

  constructor() {
    super('the response of the node is too large');
  }
}

/** The node's result does not have the form that the method prescribes. */
export class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError';
}

/** There is no contract at the address, or it is not a registry. */
export class NotARegistryError extends Error {
  override readonly name = 'NotARegistryError';
}
