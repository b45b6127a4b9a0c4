import { describeProvider, type ProviderFact } from '../../engine/lists/providers.js';

export interface ProviderExplanation {
  name: string;
  /** It accepts every mailbox at RCPT, so that acceptance proves nothing. */
  acceptsAll: boolean;
  maxSessions: number;
  maxRcptPerSession: number;
  /** Between the starts of two sessions. */
  minIntervalMs: number;
  domains: readonly string[];
  facts: readonly ProviderFact[];
}

/** The provider of this name or domain (`Google`, `gmail`, `gmail.com`), or null. */
export function explainProvider(asked: string): ProviderExplanation | null {
  const found = describeProvider(asked);
  return found === null ? null : { name: found.name, ...found.traits, domains: found.domains, facts: found.facts };
}
