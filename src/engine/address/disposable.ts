import { parseAddress } from '../grammar/parse-address.js';
import { reservedName } from '../lists/reserved-names.js';
import { isFree, suggest } from './address-facts.js';

/** Loads the list of disposable domains, a separate file; returns the function that tests an address. */
export async function loadDisposable(): Promise<(email: string) => boolean> {
  const { isListed } = await import('./disposable-domains.js');
  return (email) => {
    const parsed = parseAddress(email);
    if (!parsed.ok || parsed.address.literal !== null || reservedName(parsed.address.domain) !== null) return false;
    // Misspelled provider names are on disposable lists, too; the suggestion is more useful.
    return isListed(parsed.address.domain) && !isFree(email) && suggest(email) === null;
  };
}
