import { readDataFile } from '../disk/bundled-file.js';
import { dataPath } from './data-file.js';

/** Misspellings of provider names. */
interface TypoData {
  /** Providers with an invented name, so that misspellings are unlikely to be real domains. */
  misspelt: string[];
  /** Providers with a short or common name: corrected only if the top-level domain does not exist. */
  topLevelOnly: string[];
  slips: Record<string, string>;
  real: string[];
  topLevelSlips: Record<string, string>;
}

// The data that `mailvet/address` needs, too. Its build replaces this module by one that contains the data.

export const readTlds = (): string => read('tlds.txt').toString('latin1');
export const readRoles = (): string => read('roles.txt').toString('latin1');
export const readTypos = (): TypoData => JSON.parse(read('typos.json').toString('utf8')) as TypoData;
export const readFree = (): Uint8Array => read('free.txt');
export const readPublicSuffixes = (): Uint8Array => read('public-suffixes.txt');
export const readDisposable = (): Uint8Array => read('disposable.txt');

function read(name: string): Buffer {
  return readDataFile(dataPath(name));
}
