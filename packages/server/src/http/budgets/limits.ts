// Time and size limits of requests and connections.

export const defaultLimits = {
  /** Requests that wait for their turn, each with a body of some kilobytes. */
  waitingRequests: 4_000,
  waitingRequestsPerClient: 1_000,
  /** Time to receive a request's headers, which fit into one packet. */
  headersMs: 10_000,
  /** Time to handle a request, response included; operations with large bodies set their own. */
  operationMs: 20_000,
  /** Time to receive a whole request: the largest upload on a slow connection. */
  requestMs: 600_000,
  /** Lifetime of a connection without traffic. */
  idleMs: 120_000,
  /** Lifetime of a connection between two requests: longer than load balancers keep theirs. */
  keepAliveMs: 65_000,
  /** Time for a client to read a response that was sent before all of its request arrived. */
  lingerMs: 2_000,
  /** Interval in which Node checks the limits above. */
  checkMs: 2_000,
  /** Uploads in progress, of all clients: with 16 KB of each file and what its connection holds, some 8 MB. */
  uploads: 256,
  /** Uploads of one client: more than browsers and parallel uploaders open, but not all. */
  uploadsPerClient: 64,
  /** An upload that receives less than `uploadBytesPerCheck` in this time is ended. Long enough for a tunnel. */
  uploadCheckMs: 30_000,
  /** 4,000 bytes a second: half of what a slow mobile connection does. */
  uploadBytesPerCheck: 120_000,
  /** A client that does not read what a stream of events has sent it, for this long, is disconnected. */
  stalledStreamMs: 30_000,
  /**
   * Of all request bodies, JSON and files that are buffered whole. With 12 MB for hashing and the 8 MB above, all uploads
   * together take no more than 64 MB.
   */
  bodyMemoryBytes: 44_000_000,
  /** The part of it for files of clients without credentials: half, so that they cannot keep out those of users. */
  publicMemoryBytes: 22_000_000,
  /** A file that takes longer to arrive no longer keeps those of other clients waiting: 32 MB at 26 Mbit/s. */
  fileTurnMs: 10_000,
  headerBytes: 16_384,
  uriBytes: 8_192,
  /** Far below Debian's limit of file descriptors; at a few kilobytes each they fit in memory. */
  connections: 16_384,
};

export type HttpLimits = Readonly<typeof defaultLimits>;
