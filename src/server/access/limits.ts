/** What a caller may ask of the server, and for how long it is waited for. */
export interface Limits {
  /** The body of a request that names one thing. */
  smallBodyBytes: number;
  /** The body of a bulk request: a thousand long addresses, escaped. */
  bulkBodyBytes: number;
  /** An uploaded file. */
  fileBytes: number;
  /** Rows of an uploaded file. */
  rows: number;
  /** Uploads of one key that wait to be confirmed: how many, and how large together. */
  unconfirmedUploads: number;
  unconfirmedBytes: number;
  /** Requests a second of one key. */
  requestsPerSecond: number;
  /** Requests being worked on, all keys together. */
  requestsUnderWay: number;
  /** Requests of one key that are being worked on. */
  requestsUnderWayPerKey: number;
  /** Requests of one connection that are under way, sent without waiting for answers; the rest waits unread. */
  requestsAtOnce: number;
  /** Addresses of bulk requests that are looked at at the same time, all keys together. */
  addressesUnderWay: number;
  /** Until a bulk request is answered: mailboxes that have not answered by then are reported as timed out. */
  bulkMs: number;
  connections: number;
  requestsPerConnection: number;
  /** The request line and all headers. */
  headerBytes: number;
  /** Until a connection has sent the headers of a request. */
  headersMs: number;
  /** Until a whole request has come. */
  requestMs: number;
  /** Silence in the middle of a request, or of an answer that nobody reads. */
  stallMs: number;
  /** A connection without a request. */
  keepAliveMs: number;
  /** How long requests may still take when the server stops. */
  drainMs: number;
}

/** Generous for a team's own machine; the flags of `serve` change what operators care about. */
export const defaultLimits: Limits = {
  smallBodyBytes: 64 * 1024,
  bulkBodyBytes: 2 * 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  rows: 100_000,
  unconfirmedUploads: 1_000,
  unconfirmedBytes: 4 * 1024 ** 3,
  requestsPerSecond: 100_000,
  requestsUnderWay: 16_384,
  requestsUnderWayPerKey: 1_024,
  requestsAtOnce: 64,
  addressesUnderWay: 250_000,
  // A little less than the five minutes that clients wait for an answer.
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
