import { type DnsCounts, dnsTrouble } from './dns-trouble.js';
import { Failure } from './failure.js';
import type { ValidationResult } from './result.js';

/** Mail servers of this many domains that cannot be reached, while none can, are a sign that the network here is down. */
const domainsForProof = 5;

/** Verdicts that need no network. */
const localReasons = ['failed_syntax_check', 'reserved_domain', 'several_addresses', 'unknown_encoding', 'suppressed'];

/** Verdicts on a domain, for which no mail server is asked. */
const domainReasons: readonly string[] = ['no_dns_entries', 'does_not_accept_mail', 'unroutable_ip_address'];

type CountedResult = Pick<ValidationResult, 'email' | 'status'> &
  Partial<Pick<ValidationResult, 'sub_status' | 'details'>>;

/** Counts the answers of a run, to tell a network that is down here from hosts that are down. */
export class NetworkHealth {
  readonly #dns: DnsCounts = { asked: 0, failed: 0, resolverDown: false };
  readonly #isResolverDown: (() => boolean) | undefined;
  readonly #unreachedDomains = new Set<string>();
  /** Whether a mail server was reached, or the mail port is known to be blocked. */
  #hasMailAnswer = false;

  /** Without `isResolverDown`, the answers come from a remote service, and say nothing about the network here. */
  constructor(isResolverDown: (() => boolean) | undefined) {
    this.#isResolverDown = isResolverDown;
  }

  count({ email, status, sub_status = '', details }: CountedResult): void {
    if (localReasons.includes(sub_status)) return;
    this.#dns.asked++;
    if (sub_status === 'dns_error') {
      this.#dns.failed++;
      this.#dns.resolverDown ||= this.#isResolverDown?.() ?? false;
    } else if (sub_status === 'failed_smtp_connection') {
      if (this.#unreachedDomains.size < domainsForProof) this.#unreachedDomains.add(domainOf(email));
    } else if (!domainReasons.includes(sub_status)) {
      // A stored result has no reply code, so every other verdict may be an answer.
      this.#hasMailAnswer ||= status === 'unknown' || (details?.smtp_code ?? 1) > 0;
    }
  }

  /** The Failure of a run that learned little because the network is down, otherwise null. `isWhole`: the list is no remainder. */
  trouble({ isWhole = true } = {}): Failure | null {
    const isLocal = this.#isResolverDown !== undefined;
    const isMailDown = isLocal && isWhole && !this.#hasMailAnswer && this.#unreachedDomains.size >= domainsForProof;
    return dnsTrouble(this.#dns) ?? (isMailDown ? mailTrouble() : null);
  }
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

function mailTrouble(): Failure {
  return new Failure('network', 'No mail server of any domain could be reached, so nothing is known about mailboxes.', {
    hint: 'Check the network here, and the settings smtp_port and proxy; "mailvet doctor" shows what works.',
  });
}
