import type { Address } from '../../../src/model/address.js';
import type { MailRoute } from '../../../src/model/evidence.js';
import type { ProbeRequest } from '../../../src/net/probe/prober.js';
import { type SmtpProberOptions, smtpProber } from '../../../src/net/probe/smtp-prober.js';
import type { SmtpHost } from '../../fakes/smtp-host.js';

/** Deadlines for hosts on loopback that answer, long enough for a busy machine. */
export const timeouts = { connectMs: 5000, bannerMs: 5000, stepMs: 5000, totalMs: 20_000 };

/** Deadlines for hosts that do not answer. */
export const shortTimeouts = { connectMs: 2000, bannerMs: 300, stepMs: 300, totalMs: 5000 };

/** An address as the grammar returns it. */
export function address(text: string): Address {
  const separator = text.lastIndexOf('@');
  const localPart = text.slice(0, separator);
  const domain = text.slice(separator + 1);
  return {
    localPart,
    domain,
    displayDomain: domain,
    literal: null,
    tag: null,
    canonical: text,
    needsSmtpUtf8: /[^ -~]/.test(localPart),
  };
}

/** A route over the hosts in order. */
export function routeTo(...hosts: Pick<SmtpHost, 'ip'>[]): MailRoute {
  return {
    implicit: false,
    hosts: hosts.map(({ ip }, index) => ({ name: `mx${index}.example.com`, preference: index, addresses: [ip] })),
  };
}

export function request(text: string, route: MailRoute, rest: Partial<ProbeRequest> = {}): ProbeRequest {
  return { address: address(text), route, provider: null, ...rest };
}

/** A prober for hosts on loopback. */
export function proberFor(host: Pick<SmtpHost, 'port'>, options: SmtpProberOptions = {}) {
  return smtpProber({
    port: host.port,
    timeouts,
    lingerMs: 20,
    backoffMs: 5,
    ehloName: 'probe.example.net',
    ...options,
  });
}
