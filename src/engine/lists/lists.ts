import { LruMap } from '../../async/lru-map.js';
import { readDataFile, readDataLines } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { ListFacts } from '../../model/evidence.js';
import { dataPath } from '../data-file.js';
import { findLists, type ListsInUse } from './installed-lists.js';
import { listedName } from './public-suffix.js';
import { reservedName } from './reserved-names.js';
import { isPossibleRole, roleOf } from './roles.js';
import { openSortedLines } from './sorted-lines.js';
import { isKnownTld } from './top-level-domains.js';
import { intendedDomain } from './typo.js';
import type { UserLists } from './user-lists.js';

/** The bundled and the user's own lists; data is read on first use. */
export interface Lists {
  check(address: Address): ListFacts;
  /** True if no list says anything about the address. */
  isClean(address: Address): boolean;
  /** Why a mail server counts as disposable, or null. */
  disposableHost(host: string): DisposableHost | null;
  /** Whether the user's list allows the address, so that its mail server is not checked. */
  isAllowed(address: Address): boolean;
}

/** `name`: the listed domain that covers the host, or the host itself. `domains`: how many listed domains it serves, if counted. */
interface DisposableHost {
  name: string;
  domains: number | null;
}

/** Facts that depend on the domain only. */
interface DomainFacts extends Pick<ListFacts, 'reserved' | 'disposable' | 'free' | 'relay' | 'unknownTld'> {
  intended: string | null;
  /** True if none of these but `free` and `relay` says anything. */
  isClean: boolean;
}

const maxDomains = 32_768;

/** The facts of an address that no list matches. */
export const noFacts: ListFacts = {
  reserved: null,
  disposable: null,
  disposableNeighbors: null,
  role: null,
  possibleRole: null,
  free: false,
  relay: false,
  didYouMean: null,
  unknownTld: false,
};
const literalFacts: DomainFacts = { ...noFacts, intended: null, isClean: true };

export function createLists(user: UserLists | null = null, inUse: ListsInUse = findLists(null)): Lists {
  const bundled = new DomainLists(inUse);
  const domains = new LruMap<DomainFacts>({ maxEntries: maxDomains });
  const hosts = new LruMap<DisposableHost | null>({ maxEntries: maxDomains });
  return {
    check(address) {
      const facts =
        address.literal === null
          ? domains.getOrCreate(address.domain, (domain) => bundled.factsOf(domain))
          : literalFacts;
      const role = roleOf(address.localPart, address.tag);
      const isPossible = role !== null && isPossibleRole(role);
      return {
        reserved: facts.reserved,
        disposable: user?.allow.match(address) ? null : (user?.deny.match(address) ?? facts.disposable),
        disposableNeighbors: null,
        role: isPossible ? null : role,
        possibleRole: isPossible ? role : null,
        free: facts.free,
        relay: facts.relay,
        didYouMean: facts.intended === null ? null : `${address.localPart}@${facts.intended}`,
        unknownTld: facts.unknownTld,
      };
    },
    isClean: ({ domain, localPart, literal, tag }) =>
      user === null &&
      literal === null &&
      domains.getOrCreate(domain, (name) => bundled.factsOf(name)).isClean &&
      roleOf(localPart, tag) === null,
    disposableHost(host) {
      if (user?.allow.matchHost(host)) return null;
      const deniedEntry = user?.deny.matchHost(host) ?? null;
      if (deniedEntry !== null) return { name: deniedEntry, domains: null };
      return hosts.getOrCreate(host, (name) => bundled.disposableHost(name));
    },
    isAllowed: (address) => user !== null && user.allow.match(address) !== null,
  };
}

/** The lists of domains and mail servers; each file is read on first use. */
class DomainLists {
  private readonly disposable;
  private readonly free;
  private readonly relays = openSortedLines(() => readDataFile(dataPath('relays.txt')));
  private hostCounts: Map<string, number | null> | null = null;

  constructor(private readonly inUse: ListsInUse) {
    this.disposable = openSortedLines(() => readDataFile(inUse.pathOf('disposable.txt')));
    this.free = openSortedLines(() => readDataFile(inUse.pathOf('free.txt')));
  }

  factsOf(domain: string): DomainFacts {
    const reserved = reservedName(domain);
    if (reserved !== null) return { ...literalFacts, reserved, isClean: false };
    const relay = listedName(this.relays, domain) !== null;
    const free = this.free.has(domain);
    const intended = free ? null : intendedDomain(domain);
    // Misspelled provider names are on disposable lists, too; the suggestion is more useful.
    if (free || intended !== null) return { ...literalFacts, free, relay, intended, isClean: intended === null };
    const unknownTld = !isKnownTld(domain.slice(domain.lastIndexOf('.') + 1));
    const disposable = listedName(this.disposable, domain);
    return { ...literalFacts, disposable, relay, unknownTld, isClean: disposable === null && !unknownTld };
  }

  disposableHost(host: string): DisposableHost | null {
    const name = listedName(this.disposable, host);
    // The mail server of a misspelled provider name counts as its domain does.
    if (name !== null && this.factsOf(name).disposable !== null) return { name, domains: null };
    this.hostCounts ??= readHostCounts(this.inUse.pathOf('disposable-hosts.txt'));
    const domains = this.hostCounts.get(host);
    return domains === undefined ? null : { name: host, domains };
  }
}

/** Each line has a mail server and, if counted, the number of disposable domains that it serves. */
function readHostCounts(path: string): Map<string, number | null> {
  return new Map(
    readDataLines(path)
      .map((line) => line.split(' '))
      .map(([host = '', domains]) => [host, domains === undefined ? null : Number(domains)]),
  );
}
