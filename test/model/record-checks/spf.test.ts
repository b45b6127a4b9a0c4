import { expect, test } from 'vitest';
import { deniesAllSenders, spf } from '../../../src/model/record-checks/spf.js';
import { fakeDns, found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const passed = (detail: string) => ({ state: 'passed', detail });
const failed = (reason: string) => ({ state: 'failed', reason });
const noAnswer = { state: 'unknown', reason: 'no_answer' };

test.each([
  { name: 'one record', txt: found('v=spf1 mx -all'), want: passed('v=spf1 mx -all') },
  { name: 'one record among others', txt: found('token=1', 'v=spf1 -all'), want: passed('v=spf1 -all') },
  { name: 'the version is not case-sensitive', txt: found('V=SPF1 -ALL'), want: passed('V=SPF1 -ALL') },
  { name: 'a bare version', txt: found('v=spf1'), want: passed('v=spf1') },
  { name: 'two records void both', txt: found('v=spf1 -all', 'v=spf1 mx -all'), want: failed('ambiguous') },
  {
    name: 'another version does not count',
    txt: found('v=spf10 -all', 'v=spf1;-all', ' v=spf1 -all'),
    want: failed('absent'),
  },
  {
    name: 'every mechanism and modifier',
    txt: found(
      'v=spf1 a a:b.example a/24 a:b.example/24//64 mx mx/28 ptr ip4:192.0.2.0/24 ip6:2001:db8::/32 ?include:_spf.b.example ~exists:%{i}._s.b.example exp=e.b.example x-new=1 redirect=c.example +all',
    ),
    want: expect.objectContaining({ state: 'passed' }),
  },
  { name: 'an unknown mechanism', txt: found('v=spf1 ipv4:192.0.2.1 -all'), want: failed('malformed') },
  { name: 'a comma between terms', txt: found('v=spf1 mx, -all'), want: failed('malformed') },
  { name: 'an include of nothing', txt: found('v=spf1 include: b.example -all'), want: failed('malformed') },
  { name: 'no text at all', txt: nodata, want: failed('absent') },
  { name: 'no such name', txt: nxdomain, want: failed('absent') },
  { name: 'a timeout is not an absence', txt: timeout, want: noAnswer },
  { name: 'SERVFAIL is not an absence', txt: servfail, want: noAnswer },
  { name: 'REFUSED is not an absence', txt: refused, want: noAnswer },
  { name: 'a broken answer is not an absence', txt: malformed, want: noAnswer },
])('spf: $name', async ({ txt, want }) => {
  expect(await spf.check('a.example', fakeDns({ 'TXT a.example': txt }))).toEqual(want);
});

test.each([
  ['v=spf1 -all', true],
  ['V=SPF1   -ALL ', true],
  ['v=spf1 exp=e.example -all', true],
  ['v=spf1 -all mx', true],
  ['v=spf1 ~all', false],
  ['v=spf1 all', false],
  ['v=spf1 mx -all', false],
  ['v=spf1 redirect=b.example', false],
  ['v=spf1', false],
])('"%s" denies all senders: %s', (record, want) => {
  expect(deniesAllSenders(record)).toBe(want);
});
