import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isAllowedAddress, type Networks } from './ip-range.js';

/** The code of the error for a name or address that must not be contacted. */
export const forbiddenAddressCode = 'ERR_FORBIDDEN_ADDRESS';

/**
 * Resolves names for outgoing requests, and fails for a name with any private address. The connection uses the checked
 * address, so that a second lookup cannot return another one.
 */
export function createGuardedLookup(allowed: Networks): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 4);
        return;
      }
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowedAddress(address, allowed))) {
        callback(Object.assign(new Error('private address'), { code: forbiddenAddressCode }), '', 4);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
