import { describeProvider, type ProviderFact } from '../../engine/lists/providers.js';

/** What is known of a mail provider, for people and programs. */
export interface ProviderExplanation {
  name: string;
  /** It accepts every mailbox at RCPT, so that an accepted one proves nothing. */
  acceptsAll: boolean;
  maxSessions: number;
  maxRcptPerSession: number;
  /** Between the starts of two sessions. */
  minIntervalMs: number;
  /** Domains whose mailboxes are its own. */
  domains: readonly string[];
  facts: readonly ProviderFact[];
}

/** The provider of this name or domain (`Google`, `gmail`, `gmail.com`); null where the table has none. */
export function explainProvider(asked: string): ProviderExplanation | null {
  const found = describeProvider(asked);
  return found === null ? null : { name: found.name, ...found.traits, domains: found.domains, facts: found.facts };
}
