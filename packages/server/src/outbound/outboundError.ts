// Why a server that a user named could not be used, in words for that user: nothing about networks of this service.

export class OutboundError extends Error {
  override readonly name: string = 'OutboundError';
}

/** A name leads to an address that only this machine or its network can reach. */
export class PrivateAddressError extends OutboundError {
  override readonly name = 'PrivateAddressError';
}
