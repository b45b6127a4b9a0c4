import { LruMap } from '../../async/lru-map.js';
import type { Address } from '../../model/address.js';
import type { ListFacts } from '../../model/evidence.js';
import { dataPath } from '../data-file.js';
import { isKnownTld, registrableDomain } from './public-suffix.js';
import { reservedName } from './reserved-names.js';
import { isPossibleRole, roleOf } from './roles.js';
import { openSortedLines } from './sorted-lines.js';
import { intendedDomain } from './typo.js';
import type { UserLists } from './user-lists.js';

/** The bundled and the user's own lists; data is read on first use. */
interface Lists {
  check(address: Address): ListFacts;
  /** The disposable domain that covers a mail server, or null. */
  isDisposableHost(host: string): string | null;
  /** Whether the user's list allows the address, so that its mail server is not checked. */
  isAllowed(address: Address): boolean;
}

/** Facts that depend on the domain only. */
interface DomainFacts {
  reserved: string | null;
  disposable: string | null;
  free: boolean;
  intended: string | null;
  unknownTld: boolean;
}

const disposableDomains = openSortedLines(dataPath('disposable.txt'));
const freeDomains = openSortedLines(dataPath('free.txt'));
const maxDomains = 32_768;
const literalFacts: DomainFacts = {
  reserved: null,
  disposable: null,
  free: false,
  intended: null,
  unknownTld: false,
};

const noFacts: ListFacts = {
  reserved: null,
  disposable: null,
  role: null,
  possibleRole: null,
  free: false,
  didYouMean: null,
  unknownTld: false,
};

export function createLists(user: UserLists | null = null): Lists {
  const domains = new LruMap<DomainFacts>({ maxEntries: maxDomains });
  const hosts = new LruMap<string | null>({ maxEntries: maxDomains });
  const factsOf = (domain: string): DomainFacts => domains.getOrCreate(domain, lookUpDomain);
  const disposableHost = (host: string): string | null =>
    hosts.getOrCreate(host, () => (disposableName(host) === null ? null : factsOf(host).disposable));
  return {
    check(address) {
      const facts = address.literal === null ? factsOf(address.domain) : literalFacts;
      if (user?.allow.match(address)) {
        return { ...noFacts, free: facts.free };
      }
      const role = roleOf(address.localPart, address.tag);
      const isPossible = role !== null && isPossibleRole(role);
      return {
        reserved: facts.reserved,
        disposable: user?.deny.match(address) ?? facts.disposable,
        role: isPossible ? null : role,
        possibleRole: isPossible ? role : null,
        free: facts.free,
        didYouMean: facts.intended === null ? null : `${address.localPart}@${facts.intended}`,
        unknownTld: facts.unknownTld,
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
  // Misspelled provider names are on disposable lists, too; the suggestion is more useful.
  if (free || intended !== null) return { reserved, disposable: null, free, intended, unknownTld: false };
  const unknownTld = !isKnownTld(domain.slice(domain.lastIndexOf('.') + 1));
  return { reserved, disposable: disposableName(domain), free, intended, unknownTld };
}

/** The domain, or its registrable domain if that is listed as a whole. A host between the two says nothing of its neighbors. */
function disposableName(domain: string): string | null {
  if (disposableDomains.has(domain)) return domain;
  const registrable = registrableDomain(domain);
  return registrable !== null && disposableDomains.has(registrable) ? registrable : null;
}
