import { expect, test } from 'vitest';
import { deniesAllSenders, spf } from '../../../src/model/record-checks/spf.js';
import { fakeDns, found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const passed = (detail: string) => ({ state: 'passed', detail });
const failed = (reason: string) => ({ state: 'failed', reason });
const noAnswer = { state: 'unknown', reason: 'no_answer' };

test.each([
  ['one record', found('v=spf1 mx -all'), passed('v=spf1 mx -all')],
  ['one record among others', found('token=1', 'v=spf1 -all'), passed('v=spf1 -all')],
  ['the version is not case-sensitive', found('V=SPF1 -ALL'), passed('V=SPF1 -ALL')],
  ['a bare version', found('v=spf1'), passed('v=spf1')],
  ['two records void both', found('v=spf1 -all', 'v=spf1 mx -all'), failed('ambiguous')],
  ['another version does not count', found('v=spf10 -all', 'v=spf1;-all', ' v=spf1 -all'), failed('absent')],
  [
    'every mechanism and modifier',
    found(
      'v=spf1 a a:b.example a/24 a:b.example/24//64 mx mx/28 ptr ip4:192.0.2.0/24 ip6:2001:db8::/32 ?include:_spf.b.example ~exists:%{i}._s.b.example exp=e.b.example x-new=1 redirect=c.example +all',
    ),
    expect.objectContaining({ state: 'passed' }),
  ],
  ['an unknown mechanism', found('v=spf1 ipv4:192.0.2.1 -all'), failed('malformed')],
  ['a comma between terms', found('v=spf1 mx, -all'), failed('malformed')],
  ['an include of nothing', found('v=spf1 include: b.example -all'), failed('malformed')],
  ['no text at all', nodata, failed('absent')],
  ['no such name', nxdomain, failed('absent')],
  ['a timeout is not an absence', timeout, noAnswer],
  ['SERVFAIL is not an absence', servfail, noAnswer],
  ['REFUSED is not an absence', refused, noAnswer],
  ['a broken answer is not an absence', malformed, noAnswer],
])('spf: %s', async (_name, txt, want) => {
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
])('"%s" denies all senders: %s', (record, want) => expect(deniesAllSenders(record)).toBe(want));
