import type { Caller } from '../async/caller.js';
import { systemClock } from '../async/clock.js';
import type { Address } from '../model/address.js';
import type { MailRoute, RouteReason } from '../model/evidence.js';
import type { Outcome } from '../model/outcome.js';
import type { RecordLookup } from '../model/record-checks/record-check.js';
import { type RecordEvidence, recordChecks, recordsNotAsked } from '../model/record-checks/record-checks.js';
import { HostKnowledge } from '../net/host-knowledge.js';

/** The mail route of a domain, and its provider. */
export interface MailRouteLookup {
  route: Outcome<MailRoute, RouteReason>;
  provider: string | null;
}

/** What DNS says about a domain. The route does not depend on the records, even if they are aborted. */
export interface DomainLookup {
  route: Promise<MailRouteLookup>;
  records: Promise<RecordEvidence>;
}

/** The queries of one lookup. They throw only when aborted. */
export interface DomainChecks {
  route(address: Address, caller?: Caller): Promise<Outcome<MailRoute, RouteReason>>;
  txt(name: string, caller?: Caller): ReturnType<RecordLookup['txt']>;
  registrableDomain(domain: string): string | null;
  providerOf(domain: string, hosts: readonly string[]): string | null;
}

const noRecords = Promise.resolve(recordsNotAsked);

/** Looks up domains, once for all addresses of a domain in a list: even a DNS cache hit costs time. */
export function createDomainLookup(checks: DomainChecks, knowledge = new HostKnowledge(systemClock)) {
  const lookups = knowledge.open<DomainLookup>('domain_lookup');
  /** Lookups by domain, each with its caller: an abort by another caller does not end it. */
  const inFlight = new Map<string, { lookup: DomainLookup; caller: Caller | undefined }>();
  return (address: Address, caller?: Caller): DomainLookup => {
    const { domain } = address;
    const pending = inFlight.get(domain);
    if (pending !== undefined && pending.caller?.signal === caller?.signal) return pending.lookup;
    const cached = lookups.get(domain);
    if (cached !== undefined) return cached;
    const route = lookUpRoute(address, checks, caller);
    const records = address.literal === null ? checkRecords(domain, checks, caller) : noRecords;
    const lookup = { route, records };
    const current = { lookup, caller };
    inFlight.set(domain, current);
    const end = () => {
      if (inFlight.get(domain) === current) inFlight.delete(domain);
    };
    Promise.all([route, records]).then(([routeLookup, evidence]) => {
      end();
      const outcomes = [routeLookup.route, ...recordChecks.map(({ name }) => evidence[name])];
      if (outcomes.every(({ state }) => state !== 'unknown')) lookups.set(domain, lookup);
    }, end);
    return lookup;
  };
}

async function lookUpRoute(address: Address, checks: DomainChecks, caller?: Caller): Promise<MailRouteLookup> {
  const route = await checks.route(address, caller);
  const hosts = route.state === 'passed' ? route.detail.hosts.map(({ name }) => name) : [];
  return { route, provider: checks.providerOf(address.domain, hosts) };
}

async function checkRecords(
  domain: string,
  { txt, registrableDomain }: DomainChecks,
  caller?: Caller,
): Promise<RecordEvidence> {
  const lookup: RecordLookup = { txt: (name) => txt(name, caller), registrableDomain };
  const outcomes = await Promise.all(recordChecks.map(({ check }) => check(domain, lookup)));
  const evidence = { ...recordsNotAsked };
  for (const [index, { name }] of recordChecks.entries()) evidence[name] = outcomes[index] ?? evidence[name];
  return evidence;
}
