import { readTypos } from '../data-text.js';
import { isKnownTld } from './top-level-domains.js';

interface Typos {
  /** Domains that are never a typo. */
  real: Set<string>;
  slips: Map<string, string>;
  /** First label → what may follow it: `yahoo` → `com`, `co.uk` … */
  forms: Map<string, string[]>;
  /** Invented names by first and second letter, since the two may be swapped. */
  inventedNames: Map<string, string[]>;
  endings: Set<string>;
  topLevelSlips: Map<string, string>;
}

let loaded: Typos | undefined;

/** The provider's domain that `domain` is one typo away from, or null. A hint, never proof. */
export function intendedDomain(domain: string): string | null {
  loaded ??= loadTypos();
  const typos = loaded;
  const listed = typos.slips.get(domain);
  if (listed !== undefined) return listed;
  const dot = domain.indexOf('.');
  if (dot === -1) return null;
  const name = domain.slice(0, dot);
  const ending = domain.slice(dot + 1);
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  if (typos.endings.has(ending)) return typos.real.has(domain) ? null : correctName(typos, name, ending);
  if (isKnownTld(tld)) return null;
  return correctProvider(typos, name, ending) ?? correctTopLevel(typos, domain, tld);
}

function correctName(typos: Typos, name: string, ending: string): string | null {
  const candidates = typos.inventedNames.get(name.charAt(0)) ?? [];
  const intended = candidates.find(
    (candidate) => isOneTypo(name, candidate) && typos.forms.get(candidate)?.includes(ending),
  );
  return intended === undefined ? null : `${intended}.${ending}`;
}

/** Corrects a name whose top-level domain does not exist: `gmail.comm`, `yaho.con`, `web.ed`. */
function correctProvider(typos: Typos, name: string, ending: string): string | null {
  const exact = typos.forms.has(name) ? [name] : [];
  const similar = (typos.inventedNames.get(name.charAt(0)) ?? []).filter((candidate) => isOneTypo(name, candidate));
  for (const candidate of [...exact, ...similar]) {
    const endings = typos.forms.get(candidate) ?? [];
    const intended =
      endings.find((form) => form === typos.topLevelSlips.get(ending)) ??
      endings.find((form) => isOneEdit(ending, form)) ??
      (endings.length === 1 && exact.length === 1 ? endings[0] : undefined);
    if (intended !== undefined) return `${candidate}.${intended}`;
  }
  return null;
}

function correctTopLevel(typos: Typos, domain: string, tld: string): string | null {
  const intended = typos.topLevelSlips.get(tld);
  return intended === undefined ? null : domain.slice(0, -tld.length) + intended;
}

interface Edit {
  at: number;
  typed: string;
  intended: string;
}

/** The parts of two words between their common prefix and suffix. */
function difference(typed: string, intended: string): Edit {
  const shorter = Math.min(typed.length, intended.length);
  let index = 0;
  while (index < shorter && typed[index] === intended[index]) index++;
  let tail = 0;
  while (tail < shorter - index && typed[typed.length - 1 - tail] === intended[intended.length - 1 - tail]) tail++;
  return {
    at: index,
    typed: typed.slice(index, typed.length - tail),
    intended: intended.slice(index, intended.length - tail),
  };
}

function isSwap({ typed, intended }: Edit): boolean {
  return typed.length === 2 && intended.length === 2 && typed[0] === intended[1] && typed[1] === intended[0];
}

/** Damerau–Levenshtein distance 1. */
function isOneEdit(typed: string, intended: string): boolean {
  const edit = difference(typed, intended);
  return (edit.typed.length <= 1 && edit.intended.length <= 1 && typed !== intended) || isSwap(edit);
}

/**
 * A typing error: two letters swapped, one missing or doubled, a neighboring key. The first letter must match, since
 * `email.com`, `mail.com` and `cloud.com` are real names.
 */
function isOneTypo(typed: string, intended: string): boolean {
  if (Math.abs(typed.length - intended.length) > 1) return false;
  const edit = difference(typed, intended);
  if (isSwap(edit)) return true;
  if (edit.at === 0 || edit.typed.length > 1 || edit.intended.length > 1) return false;
  if (edit.typed === '') return edit.intended !== '';
  if (edit.intended !== '') return areNeighbors(edit.typed, edit.intended);
  return [intended.charAt(edit.at - 1), intended.charAt(edit.at)].some(
    (key) => key === edit.typed || areNeighbors(edit.typed, key),
  );
}

/** Keys that touch on a QWERTY keyboard, and digits that look like the letter. */
const neighbors: Record<string, string> = {
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

function areNeighbors(typed: string, intended: string): boolean {
  return neighbors[intended]?.includes(typed) ?? false;
}

function loadTypos(): Typos {
  const data = readTypos();
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
