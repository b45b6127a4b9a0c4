import { LruMap } from '../../async/lru-map.js';
import type { Address } from '../../model/address.js';
import type { ListFacts } from '../../model/evidence.js';
import { dataPath } from '../data-file.js';
import { findParentDomain } from './domain-parents.js';
import { reservedName } from './reserved-names.js';
import { roleOf } from './roles.js';
import { openSortedLines } from './sorted-lines.js';
import { intendedDomain } from './typo.js';
import type { UserLists } from './user-lists.js';

/** The bundled lists and the user's own; data is read at the first question that needs it. */
interface Lists {
  /** What the lists say of an address. */
  check(address: Address): ListFacts;
  /** The disposable domain that a mail server is or lies under, or null. */
  isDisposableHost(host: string): string | null;
  /** The user's own list allows the address, so a mail server's bad name does not count against it. */
  isAllowed(address: Address): boolean;
}

/** What the domain alone decides. */
interface DomainFacts {
  reserved: string | null;
  disposable: string | null;
  free: boolean;
  intended: string | null;
}

const disposableDomains = openSortedLines(dataPath('disposable.txt'));
const freeDomains = openSortedLines(dataPath('free.txt'));
/** A list repeats few domains often. */
const maxDomains = 32_768;
const literalFacts: DomainFacts = { reserved: null, disposable: null, free: false, intended: null };

/** Lists over the bundled data and, where given, the user's own files. */
export function createLists(user: UserLists | null = null): Lists {
  const domains = new LruMap<DomainFacts>({ maxEntries: maxDomains });
  const hosts = new LruMap<string | null>({ maxEntries: maxDomains });
  const factsOf = (domain: string): DomainFacts => domains.getOrCreate(domain, lookUpDomain);
  const disposableHost = (host: string): string | null =>
    hosts.getOrCreate(host, () => (disposableParent(host) === null ? null : factsOf(host).disposable));
  return {
    check(address) {
      const facts = address.literal === null ? factsOf(address.domain) : literalFacts;
      if (user?.allow.match(address)) {
        return { reserved: null, disposable: null, role: null, free: facts.free, didYouMean: null };
      }
      return {
        reserved: facts.reserved,
        disposable: user?.deny.match(address) ?? facts.disposable,
        role: roleOf(address.localPart, address.tag),
        free: facts.free,
        didYouMean: facts.intended === null ? null : `${address.localPart}@${facts.intended}`,
      };
    },
    isDisposableHost(host) {
      if (user?.allow.matchHost(host)) return null;
      return user?.deny.matchHost(host) ?? disposableHost(host);
    },
    isAllowed: (address) => user !== null && user.allow.match(address) !== null,
  };
}

function lookUpDomain(domain: string): DomainFacts {
  const reserved = reservedName(domain);
  if (reserved !== null) return { ...literalFacts, reserved };
  const free = freeDomains.has(domain);
  const intended = free ? null : intendedDomain(domain);
  // Slips of large providers' names are on disposable lists, too; what was meant says more.
  if (free || intended !== null) return { reserved, disposable: null, free, intended };
  // The data holds no public suffix, so going up to two labels never condemns a whole registry.
  return { reserved, disposable: disposableParent(domain), free, intended };
}

function disposableParent(domain: string): string | null {
  return findParentDomain(domain, 2, (name) => disposableDomains.has(name));
}
