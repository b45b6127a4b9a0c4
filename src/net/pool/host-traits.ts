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

/** What is special about a provider, the rest being as `defaultTraits` says; null where nothing is known of it, so that each host has limits of its own. */
export type TraitsOf = (provider: string | null) => Partial<HostTraits> | null;

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
