// Time and size limits of requests and connections.

export interface HttpLimits {
  /** To receive a request's headers, which fit into one packet. */
  readonly headersMs: number;
  /** To handle a request, response included; operations with large bodies set their own. */
  readonly operationMs: number;
  /** To receive a whole request: the largest upload on a slow connection. */
  readonly requestMs: number;
  /** For a connection without traffic. */
  readonly idleMs: number;
  /** For a connection between two requests: longer than load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** For a client to read a response that was sent before all of its request arrived. */
  readonly lingerMs: number;
  /** Interval in which Node checks the limits above. */
  readonly checkMs: number;
  readonly jsonBodyBytes: number;
  readonly headerBytes: number;
  readonly uriBytes: number;
  /** Far below Debian's limit of file descriptors; at a few kilobytes each they fit in memory. */
  readonly connections: number;
}

export const defaultLimits: HttpLimits = {
  headersMs: 10_000,
  operationMs: 20_000,
  requestMs: 600_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
  lingerMs: 2_000,
  checkMs: 2_000,
  jsonBodyBytes: 1_048_576,
  headerBytes: 16_384,
  uriBytes: 8_192,
  connections: 16_384,
};
