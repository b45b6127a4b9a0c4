/** Limits for callers and connections. */
export interface Limits {
  /** Body of a request about one thing. */
  smallBodyBytes: number;
  /** Body of a bulk request: a thousand long addresses, escaped. */
  bulkBodyBytes: number;
  fileBytes: number;
  rows: number;
  /** Unconfirmed uploads of one key: count and total size. */
  unconfirmedUploads: number;
  unconfirmedBytes: number;
  /** Per key. */
  requestsPerSecond: number;
  /** Requests in progress, all keys together. */
  requestsInFlight: number;
  requestsInFlightPerKey: number;
  /** Pipelined requests in progress on one connection; the rest is not read yet. */
  requestsAtOnce: number;
  /** Addresses of bulk requests in progress, all keys together. */
  addressesInFlight: number;
  /** Deadline of a bulk request: mailboxes without an answer are then reported as timed out. */
  bulkMs: number;
  connections: number;
  requestsPerConnection: number;
  /** Request line and headers. */
  headerBytes: number;
  headersMs: number;
  requestMs: number;
  /** Silence in the middle of a request or response. */
  stallMs: number;
  keepAliveMs: number;
  /** Grace period for open requests at shutdown. */
  drainMs: number;
}

export const defaultLimits: Limits = {
  smallBodyBytes: 64 * 1024,
  bulkBodyBytes: 2 * 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  rows: 100_000,
  unconfirmedUploads: 1_000,
  unconfirmedBytes: 4 * 1024 ** 3,
  requestsPerSecond: 100_000,
  requestsInFlight: 16_384,
  requestsInFlightPerKey: 1_024,
  requestsAtOnce: 64,
  addressesInFlight: 250_000,
  // Slightly less than the five minutes that clients wait.
  bulkMs: 280_000,
  connections: 4_096,
  requestsPerConnection: 100_000,
  headerBytes: 16 * 1024,
  headersMs: 15_000,
  requestMs: 300_000,
  stallMs: 30_000,
  keepAliveMs: 72_000,
  drainMs: 30_000,
};
