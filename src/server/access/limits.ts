/** Limits for callers and connections. */
export const defaultLimits = {
  /** Body of a request about one address, job or key. */
  smallBodyBytes: 64 * 1024,
  /** Body of a bulk request: a thousand long addresses, escaped. */
  bulkBodyBytes: 2 * 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  rows: 1_000_000,
  /** Unconfirmed uploads of one key: count and total size. */
  unconfirmedUploads: 1_000,
  unconfirmedBytes: 4 * 1024 ** 3,
  /** The rate limit of a key. */
  requestsPerSecond: 100_000,
  /** Requests in progress, all keys together. */
  requestsInFlight: 16_384,
  requestsInFlightPerKey: 1_024,
  /** Pipelined requests in progress on one connection; the rest is not read yet. */
  requestsAtOnce: 64,
  /** Addresses of bulk requests in progress, all keys together. */
  addressesInFlight: 250_000,
  /** Deadline of a bulk request, slightly less than the five minutes that clients wait: the rest has timed out. */
  bulkMs: 280_000,
  connections: 4_096,
  requestsPerConnection: 100_000,
  /** Request line and headers. */
  headerBytes: 16 * 1024,
  headersMs: 15_000,
  requestMs: 300_000,
  /** Silence in the middle of a request or response. */
  stallMs: 30_000,
  keepAliveMs: 72_000,
  /** Grace period for open requests at shutdown. */
  drainMs: 30_000,
};

export type Limits = typeof defaultLimits;
