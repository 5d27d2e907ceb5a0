// How long and how large a request may be. Every number is here on purpose.

export interface HttpLimits {
  /** For the headers of a request: they come in one packet, unless somebody holds them back. */
  readonly headersMs: number;
  /** For a whole request with its answer; operations that take large bodies set their own. */
  readonly operationMs: number;
  /** For any request to arrive whole: the largest upload on a slow line. */
  readonly requestMs: number;
  /** For a connection on which nothing moves. */
  readonly idleMs: number;
  /** For a connection between two requests: longer than load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** For a client to notice an answer that came before all of its request had been read. */
  readonly lingerMs: number;
  /** How often the above are looked at. */
  readonly checkMs: number;
  readonly jsonBodyBytes: number;
  readonly headerBytes: number;
  readonly uriBytes: number;
  /** Far below the file descriptors that Node may open on Debian; at a few kilobytes each they still fit in memory. */
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
