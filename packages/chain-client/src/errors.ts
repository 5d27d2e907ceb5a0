// What can go wrong when reading a chain. A call that the node rejects is a JsonRpcError.

/** The node is unreachable, too slow, or refuses the request. A call that it received may have been executed. */
export class NodeUnavailableError extends Error {
  override readonly name: string = 'NodeUnavailableError';

  constructor(
    message: string,
    /** The same request would fail again: an unknown host, an untrusted certificate, a redirect, a status like 401. */
    readonly isPermanent = false,
    /** Status of the response, if there was one. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** The node sent more than the caller's limit. */
export class ResponseTooLargeError extends NodeUnavailableError {
  override readonly name = 'ResponseTooLargeError';

  constructor() {
    super('the response of the node is too large', true);
  }
}

/** The response is not JSON-RPC, or its result does not have the form that the method prescribes. */
export class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError';
}

/** There is no contract at the address, or it is not a registry. */
export class NotARegistryError extends Error {
  override readonly name = 'NotARegistryError';
}

/** Data does not have the hash that it should have: it was changed, or belongs to another block or transaction. */
export class InvalidProofError extends Error {
  override readonly name = 'InvalidProofError';
}
