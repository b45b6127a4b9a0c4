/** How a provider's hosts want to be treated. */
export interface HostTraits {
  /** Accepts every recipient and bounces later, so asking for a random mailbox tells nothing. */
  acceptsAll: boolean;
  /** Sessions at a time, over all hosts of the provider. */
  maxSessions: number;
  maxRcptPerSession: number;
  /** Postfix answers late from the 11th refusal of a connection on, and hangs up after the 20th. */
  maxRefusalsPerSession: number;
  /** Least time between the starts of two sessions. */
  minIntervalMs: number;
}

/**
 * Gives what is special about a provider; what it leaves out is as `defaultTraits` says. For one it knows nothing about it gives
 * the very object that it gives for null, and the limits then hold for each host alone.
 */
export type TraitsOf = (provider: string | null) => Partial<HostTraits>;

/** For hosts we know nothing about: well under the limits that Postfix (50 connections) and Exchange (20) ship with. */
export const defaultTraits: HostTraits = {
  acceptsAll: false,
  maxSessions: 8,
  maxRcptPerSession: 50,
  maxRefusalsPerSession: 9,
  minIntervalMs: 0,
};

/** Most sessions to one address, however many its provider may take over all of its hosts. */
export const maxSessionsPerHost = 8;
