import { readDataFile } from '../../disk/bundled-file.js';
import { dataPath } from '../data-file.js';
import { isKnownTld } from './public-suffix.js';

interface TypoData {
  /** Providers with an invented name, whose misspellings are nobody else's domain. */
  misspelt: string[];
  /** Providers whose name is short or a plain word: corrected only where the top-level domain does not exist. */
  topLevelOnly: string[];
  slips: Record<string, string>;
  real: string[];
  topLevelSlips: Record<string, string>;
}

interface Typos {
  /** What is never a slip. */
  real: Set<string>;
  slips: Map<string, string>;
  /** First label → what may follow it: `yahoo` → `com`, `co.uk` … */
  forms: Map<string, string[]>;
  /** Invented names by first and by second letter, since a swap may put the second in front. */
  inventedNames: Map<string, string[]>;
  endings: Set<string>;
  topLevelSlips: Map<string, string>;
}

let loaded: Typos | undefined;

/** The domain that was probably meant where `domain` is one slip away from a large provider's, else null. A hint, never proof. */
export function intendedDomain(domain: string): string | null {
  loaded ??= loadTypos();
  const typos = loaded;
  const known = typos.slips.get(domain);
  if (known !== undefined) return known;
  const dot = domain.indexOf('.');
  if (dot === -1) return null;
  const name = domain.slice(0, dot);
  const ending = domain.slice(dot + 1);
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  if (typos.endings.has(ending)) return typos.real.has(domain) ? null : respelt(typos, name, ending);
  if (isKnownTld(tld)) return null;
  return withRealTopLevel(typos, name, ending) ?? withCommonTopLevel(typos, domain, tld);
}

function respelt(typos: Typos, name: string, ending: string): string | null {
  const candidates = typos.inventedNames.get(name.charAt(0)) ?? [];
  const meant = candidates.find(
    (candidate) => isOneSlip(name, candidate) && typos.forms.get(candidate)?.includes(ending),
  );
  return meant === undefined ? null : `${meant}.${ending}`;
}

/** The top-level domain does not exist, so the whole is a slip for certain: `gmail.comm`, `yaho.con`, `web.ed`. */
function withRealTopLevel(typos: Typos, name: string, ending: string): string | null {
  const exact = typos.forms.has(name) ? [name] : [];
  const near = (typos.inventedNames.get(name.charAt(0)) ?? []).filter((candidate) => isOneSlip(name, candidate));
  for (const candidate of [...exact, ...near]) {
    const endings = typos.forms.get(candidate) ?? [];
    const meant =
      endings.find((form) => form === typos.topLevelSlips.get(ending)) ??
      endings.find((form) => isOneEdit(ending, form)) ??
      (endings.length === 1 && exact.length === 1 ? endings[0] : undefined);
    if (meant !== undefined) return `${candidate}.${meant}`;
  }
  return null;
}

function withCommonTopLevel(typos: Typos, domain: string, tld: string): string | null {
  const meant = typos.topLevelSlips.get(tld);
  return meant === undefined ? null : domain.slice(0, -tld.length) + meant;
}

interface Edit {
  at: number;
  typed: string;
  meant: string;
}

/** What is left of two words between their common start and their common end. */
function difference(typed: string, meant: string): Edit {
  const shorter = Math.min(typed.length, meant.length);
  let at = 0;
  while (at < shorter && typed[at] === meant[at]) at++;
  let tail = 0;
  while (tail < shorter - at && typed[typed.length - 1 - tail] === meant[meant.length - 1 - tail]) tail++;
  return { at, typed: typed.slice(at, typed.length - tail), meant: meant.slice(at, meant.length - tail) };
}

function isSwap({ typed, meant }: Edit): boolean {
  return typed.length === 2 && meant.length === 2 && typed[0] === meant[1] && typed[1] === meant[0];
}

/** Damerau–Levenshtein distance 1. */
function isOneEdit(typed: string, meant: string): boolean {
  const edit = difference(typed, meant);
  return (edit.typed.length <= 1 && edit.meant.length <= 1 && typed !== meant) || isSwap(edit);
}

/**
 * A distance of 1 that fingers make: two letters swapped, one left out, one doubled, a neighbouring key hit instead or besides.
 * The first letter counts as meant: `email.com`, `mail.com` and `cloud.com` are other people's names.
 */
function isOneSlip(typed: string, meant: string): boolean {
  if (Math.abs(typed.length - meant.length) > 1) return false;
  const edit = difference(typed, meant);
  if (isSwap(edit)) return true;
  if (edit.at === 0 || edit.typed.length > 1 || edit.meant.length > 1) return false;
  if (edit.typed === '') return edit.meant !== '';
  if (edit.meant !== '') return areNeighbours(edit.typed, edit.meant);
  return [meant.charAt(edit.at - 1), meant.charAt(edit.at)].some(
    (beside) => beside === edit.typed || areNeighbours(edit.typed, beside),
  );
}

/** Keys that touch on a QWERTY keyboard, and digits that look like the letter. */
const neighbours: Record<string, string> = {
  a: 'qwsz',
  b: 'vghn',
  c: 'xdfv',
  d: 'serfcx',
  e: 'wsdr34',
  f: 'drtgvc',
  g: 'ftyhbv',
  h: 'gyujnb',
  i: 'ujko891l',
  j: 'huikmn',
  k: 'jiolm',
  l: 'kop1i',
  m: 'njk',
  n: 'bhjm',
  o: 'iklp90',
  p: 'ol0',
  q: 'wa12',
  r: 'edft45',
  s: 'awedxz',
  t: 'rfgy56',
  u: 'yhji78',
  v: 'cfgb',
  w: 'qase23',
  x: 'zsdc',
  y: 'tghu67',
  z: 'asx',
};

function areNeighbours(typed: string, meant: string): boolean {
  return neighbours[meant]?.includes(typed) ?? false;
}

function loadTypos(): Typos {
  const data = JSON.parse(readDataFile(dataPath('typos.json')).toString('utf8')) as TypoData;
  const forms = new Map<string, string[]>();
  for (const domain of [...data.misspelt, ...data.topLevelOnly]) {
    const dot = domain.indexOf('.');
    append(forms, domain.slice(0, dot), domain.slice(dot + 1));
  }
  const inventedNames = new Map<string, string[]>();
  for (const name of new Set(data.misspelt.map((domain) => domain.slice(0, domain.indexOf('.'))))) {
    for (const letter of new Set(name.slice(0, 2))) append(inventedNames, letter, name);
  }
  return {
    real: new Set([...data.real, ...data.misspelt, ...data.topLevelOnly]),
    slips: new Map(Object.entries(data.slips)),
    forms,
    inventedNames,
    endings: new Set([...forms.values()].flat()),
    topLevelSlips: new Map(Object.entries(data.topLevelSlips)),
  };
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
