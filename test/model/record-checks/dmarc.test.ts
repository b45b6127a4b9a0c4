import { expect, test } from 'vitest';
import { dmarc } from '../../../src/model/record-checks/dmarc.js';
import { type DnsTable, fakeDns, found, malformed, nodata, nxdomain, servfail, timeout } from '../../fakes/fake-dns.js';

const passed = (detail: string) => ({ state: 'passed', detail });
const failed = (reason: string) => ({ state: 'failed', reason });
const noAnswer = { state: 'unknown', reason: 'no_answer' };
const reject = 'v=DMARC1; p=reject';
const none = 'v=DMARC1; p=none';

test.each([
  ['one record', found(reject), passed(reject)],
  ['one record among others', found('v=spf1 -all', reject), passed(reject)],
  ['spaces around the version', found('v = DMARC1 ; p=none;'), passed('v = DMARC1 ; p=none;')],
  ['no policy means none', found('v=DMARC1; rua=mailto:a@b.example'), passed('v=DMARC1; rua=mailto:a@b.example')],
  [
    'an unreadable policy with reports',
    found('v=DMARC1; p=foo; rua=mailto:a@b.example'),
    passed('v=DMARC1; p=foo; rua=mailto:a@b.example'),
  ],
  ['an unreadable policy without reports', found('v=DMARC1; p=foo'), failed('malformed')],
  ['malformed tags', found('v=DMARC1; reject'), failed('malformed')],
  ['two records void both', found(none, reject), failed('ambiguous')],
  ['the version must come first', found('p=reject; v=DMARC1'), failed('absent')],
  ['the version is case-sensitive', found('v=dmarc1; p=reject'), failed('absent')],
  ['another version does not count', found('v=DMARC12; p=reject'), failed('absent')],
  ['no record', nxdomain, failed('absent')],
  ['no text', nodata, failed('absent')],
  ['a timeout is not an absence', timeout, noAnswer],
  ['SERVFAIL is not an absence', servfail, noAnswer],
  ['a broken answer is not an absence', malformed, noAnswer],
])('dmarc: %s', async (_name, txt, want) => {
  const dns = fakeDns({ 'TXT _dmarc.a.example': txt });
  expect(await dmarc.check('a.example', { txt: dns.txt, registrableDomain: () => 'a.example' })).toEqual(want);
});

const organization = (domain: string) => domain.split('.').slice(-2).join('.');

test.each<[name: string, domain: string, table: DnsTable, want: unknown]>([
  ['the record of the domain takes precedence', 'm.a.example', { 'TXT _dmarc.m.a.example': found(none) }, passed(none)],
  [
    "the organization's record governs its subdomains",
    'x.m.a.example',
    { 'TXT _dmarc.x.m.a.example': nxdomain, 'TXT _dmarc.m.a.example': nodata, 'TXT _dmarc.a.example': found(reject) },
    passed(reject),
  ],
  [
    'two records of the domain are ignored in favor of the organization',
    'm.a.example',
    { 'TXT _dmarc.m.a.example': found(none, none), 'TXT _dmarc.a.example': found(reject) },
    passed(reject),
  ],
  [
    'no name above the organization is queried',
    'm.a.example',
    { 'TXT _dmarc.m.a.example': nxdomain, 'TXT _dmarc.a.example': nxdomain },
    failed('absent'),
  ],
  [
    'no answer for the organization is not an absence',
    'm.a.example',
    { 'TXT _dmarc.m.a.example': nxdomain, 'TXT _dmarc.a.example': servfail },
    noAnswer,
  ],
])('dmarc with the public suffix list: %s', async (_name, domain, table, want) => {
  expect(await dmarc.check(domain, { txt: fakeDns(table).txt, registrableDomain: organization })).toEqual(want);
});

test('dmarc: a public suffix has only its own record', async () => {
  const dns = fakeDns({ 'TXT _dmarc.co.example': nxdomain });
  expect(await dmarc.check('co.example', { txt: dns.txt, registrableDomain: () => null })).toEqual(failed('absent'));
});

const suffixPolicy = 'v=DMARC1; p=reject; psd=y';
test.each<[name: string, records: Record<string, string>, want: unknown]>([
  ['no record anywhere', {}, failed('absent')],
  ['the shortest name governs', { 'b.c.example': none, 'c.example': reject }, passed(reject)],
  ['psd=n ends the walk', { 'b.c.example': `${none}; psd=n`, 'c.example': reject }, passed(`${none}; psd=n`)],
  ['the name below psd=y governs', { 'c.example': none, example: suffixPolicy }, passed(none)],
  ['the suffix governs if no name below does', { example: suffixPolicy }, passed(suffixPolicy)],
])('dmarc by walking the tree: %s', async (_name, records, want) => {
  const names = ['a.b.c.example', 'b.c.example', 'c.example', 'example'];
  const table = Object.fromEntries(
    names.map((name) => [`TXT _dmarc.${name}`, records[name] === undefined ? nxdomain : found(records[name])]),
  );
  expect(await dmarc.check('a.b.c.example', { txt: fakeDns(table).txt })).toEqual(want);
});

test('dmarc: a long name costs eight queries', async () => {
  const table: DnsTable = {};
  const labels = 'a b c d e f g h i j example'.split(' ');
  for (let index = 0; index < labels.length; index++) table[`TXT _dmarc.${labels.slice(index).join('.')}`] = nxdomain;
  const dns = fakeDns(table);
  await dmarc.check(labels.join('.'), { txt: dns.txt });
  expect(dns.questions.map((question) => question.split('.').length - 1)).toEqual([11, 7, 6, 5, 4, 3, 2, 1]);
});
