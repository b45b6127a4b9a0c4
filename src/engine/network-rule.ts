import type { Address } from '../model/address.js';
import type { Level } from '../model/evidence.js';
import { isAllowedAddress, Networks } from '../net/ip-range.js';
import { reservedName } from './lists/reserved-names.js';
import { readUserLists } from './lists/user-lists.js';

export interface NetworkRuleOptions {
  level: Level;
  allowNetworks: readonly string[];
  allowList: string | null;
}

/** Tells for an address whether the network is asked about its domain, as `vet` decides. Sandbox addresses are reserved. */
export async function createNetworkRule({
  level,
  allowNetworks,
  allowList,
}: NetworkRuleOptions): Promise<(address: Address) => boolean> {
  const networks = new Networks(allowNetworks);
  const user = await readUserLists({ allowFile: allowList });
  return (address) => {
    const { domain, literal } = address;
    // A literal has no DNS records.
    if (literal !== null) return level === 'smtp' && isAllowedAddress(literal.ip, networks);
    return reservedName(domain) === null || user?.allow.match(address) != null;
  };
}
