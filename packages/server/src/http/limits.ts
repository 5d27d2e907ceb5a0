// Time and size limits of requests and connections.

export const defaultLimits = {
  /** To receive a request's headers, which fit into one packet. */
  headersMs: 10_000,
  /** To handle a request, response included; operations with large bodies set their own. */
  operationMs: 20_000,
  /** To receive a whole request: the largest upload on a slow connection. */
  requestMs: 600_000,
  /** For a connection without traffic. */
  idleMs: 120_000,
  /** For a connection between two requests: longer than load balancers keep theirs. */
  keepAliveMs: 65_000,
  /** For a client to read a response that was sent before all of its request arrived. */
  lingerMs: 2_000,
  /** Interval in which Node checks the limits above. */
  checkMs: 2_000,
  jsonBodyBytes: 1_048_576,
  headerBytes: 16_384,
  uriBytes: 8_192,
  /** Far below Debian's limit of file descriptors; at a few kilobytes each they fit in memory. */
  connections: 16_384,
};

export type HttpLimits = Readonly<typeof defaultLimits>;
