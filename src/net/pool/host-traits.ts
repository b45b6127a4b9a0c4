import type { ProviderReplyRule } from '../replies/reading.js';

/** The limits and habits of a provider's hosts. */
export interface HostTraits {
  /** The host accepts every recipient and bounces later, so a random mailbox proves nothing. */
  acceptsAll: boolean;
  /** Sessions at a time, over all hosts of the provider. */
  maxSessions: number;
  maxRcptPerSession: number;
  /** Postfix delays answers from the 11th refusal of a connection on, and hangs up after the 20th. */
  maxRefusalsPerSession: number;
  /** Minimum time between the starts of two sessions. */
  minIntervalMs: number;
  /** What certain replies of the provider mean. */
  replyRules: readonly ProviderReplyRule[];
}

/** What differs from `defaultTraits` for a provider; null for an unknown one, whose hosts each have their own limits. */
export type TraitsOf = (provider: string | null) => Partial<HostTraits> | null;

/** For unknown hosts: well under the default limits of Postfix (50 connections) and Exchange (20). */
export const defaultTraits: HostTraits = {
  acceptsAll: false,
  maxSessions: 6,
  maxRcptPerSession: 50,
  maxRefusalsPerSession: 9,
  minIntervalMs: 0,
  replyRules: [],
};
