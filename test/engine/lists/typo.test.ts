import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isKnownTld } from '../../../src/engine/lists/top-level-domains.js';
import { intendedDomain } from '../../../src/engine/lists/typo.js';

const data = (file: string) => readFileSync(new URL(`../../../src/engine/data/${file}`, import.meta.url), 'utf8');
const typos = JSON.parse(data('typos.json')) as {
  misspelt: string[];
  topLevelOnly: string[];
  slips: Record<string, string>;
  real: string[];
  topLevelSlips: Record<string, string>;
};

test.each([
  ['two letters swapped', 'gmial.com', 'gmail.com'],
  ['two letters swapped', 'gamil.com', 'gmail.com'],
  ['the first two swapped', 'mgail.com', 'gmail.com'],
  ['two letters swapped', 'hotmial.com', 'hotmail.com'],
  ['two letters swapped', 'yhaoo.com', 'yahoo.com'],
  ['a letter left out', 'gmal.com', 'gmail.com'],
  ['a letter left out', 'yaho.com', 'yahoo.com'],
  ['a letter left out', 'outlok.com', 'outlook.com'],
  ['a letter left out', 'iclod.com', 'icloud.com'],
  ['the last letter left out', 'gmai.com', 'gmail.com'],
  ['a hyphen left out', 'tonline.de', 't-online.de'],
  ['the first letter left out', 'otmail.com', 'hotmail.com'],
  ['a letter doubled', 'gmaill.com', 'gmail.com'],
  ['a letter doubled', 'yahooo.com', 'yahoo.com'],
  ['the first letter doubled', 'ggmail.com', 'gmail.com'],
  ['the key beside', 'gnail.com', 'gmail.com'],
  ['the key beside', 'gmsil.com', 'gmail.com'],
  ['the key beside, too', 'hoptmail.com', 'hotmail.com'],
  ['a digit that looks like the letter', 'gmai1.com', 'gmail.com'],
  ['in another country', 'yaho.co.uk', 'yahoo.co.uk'],
  ['in another country', 'hotmial.fr', 'hotmail.fr'],
  ['no such top level', 'gmail.con', 'gmail.com'],
  ['no such top level', 'gmail.cmo', 'gmail.com'],
  ['no such top level', 'gmail.comm', 'gmail.com'],
  ['no such top level', 'gmail.ocm', 'gmail.com'],
  ['no such top level', 'gmail.comhttp', 'gmail.com'],
  ['no such top level', 'yahoo.frr', 'yahoo.fr'],
  ['no such top level', 'aol.con', 'aol.com'],
  ['no such top level', 'web.ed', 'web.de'],
  ['both', 'gmial.con', 'gmail.com'],
  ['no such top-level domain, an unknown company', 'acme.con', 'acme.com'],
  ['no such top-level domain, an unknown company', 'mail.acme.nte', 'mail.acme.net'],
  ['a country Gmail has no name in', 'gmail.co.uk', 'gmail.com'],
  ['glued', 'gmail.com.com', 'gmail.com'],
  ['a web address', 'www.gmail.com', 'gmail.com'],
])('a typo of a large provider: %s: %s → %s', (_, domain, want) => expect(intendedDomain(domain)).toBe(want));

describe('not a typo', () => {
  test.each([
    ...['email.com', 'mail.com', 'ymail.com', 'hmail.com', 'fmail.com', 'gomail.com', 'gemail.com', 'gail.com'],
    ...['cloud.com', 'icould.com', 'me.com', 'live.com', 'love.com', 'line.com', 'life.com', 'like.com', 'aim.com'],
    ...['ail.com', 'ol.com', 'gmx.co', 'gmx.de', 'hotmail.co', 'hotmail.co.uk', 'yahoo.co.jp', 'yahoo.com.vn'],
    ...['yahoo.co', 'outlook.co', 'outlook.jp', 'gmail.ru', 'gmail.pl', 'charger.net', 'chapter.net', 'compact.net'],
    ...['orage.fr', 'libera.it', 'liberi.it', 'never.com', 'hashmail.com', 'photonmail.com', 'hotel.com', 'zoo.com'],
    ...['example.com', 'acme.co', 'acme.om', 'gmail.com', 'mail.gmail.com', 'gmail.acme.com', 'acme.invalid', 'com'],
  ])('%s', (domain) => expect(intendedDomain(domain)).toBeNull());

  test('public mailbox providers', () => {
    expect(data('free.txt').trimEnd().split('\n').filter(intendedDomain)).toEqual([]);
  });

  test('what is corrected to', () => {
    expect([...typos.misspelt, ...typos.topLevelOnly].filter(intendedDomain)).toEqual([]);
  });
});

test('no typo of a top-level domain is a top-level domain', () => {
  expect(Object.keys(typos.topLevelSlips).filter(isKnownTld)).toEqual([]);
});

test('every known typo leads to a provider in the list of corrections', () => {
  const targets = new Set([...typos.misspelt, ...typos.topLevelOnly]);
  expect(Object.values(typos.slips).filter((target) => !targets.has(target))).toEqual([]);
  expect(typos.real.filter((domain) => domain in typos.slips)).toEqual([]);
});
