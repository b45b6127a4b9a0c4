import type * as Address from '../../src/address.js';
import type { AddressCase } from './address-cases.js';

export function runCases(address: typeof Address, cases: readonly AddressCase[]): Promise<string[]>;
