import { expect, test } from 'vitest';
import { mtaSts } from '../../../src/model/record-checks/mta-sts.js';
import { fakeDns, found, nodata, nxdomain, servfail, timeout } from '../../fakes/fake-dns.js';

const record = 'v=STSv1; id=20160831085700Z;';

test.each([
  { name: 'one record', txt: found(record), want: { state: 'passed', detail: record } },
  { name: 'one record among others', txt: found('token=1', record), want: { state: 'passed', detail: record } },
  {
    name: 'a space before the first separator',
    txt: found('v=STSv1 ; id=1'),
    want: { state: 'passed', detail: 'v=STSv1 ; id=1' },
  },
  {
    name: 'two records void both',
    txt: found(record, 'v=STSv1; id=2'),
    want: { state: 'failed', reason: 'ambiguous' },
  },
  { name: 'the version is case-sensitive', txt: found('v=stsv1; id=1'), want: { state: 'failed', reason: 'absent' } },
  { name: 'another version does not count', txt: found('v=STSv10; id=1'), want: { state: 'failed', reason: 'absent' } },
  { name: 'no such name', txt: nxdomain, want: { state: 'failed', reason: 'absent' } },
  { name: 'no text', txt: nodata, want: { state: 'failed', reason: 'absent' } },
  { name: 'a timeout is not an absence', txt: timeout, want: { state: 'unknown', reason: 'no_answer' } },
  { name: 'SERVFAIL is not an absence', txt: servfail, want: { state: 'unknown', reason: 'no_answer' } },
])('mta-sts: $name', async ({ txt, want }) => {
  expect(await mtaSts.check('a.example', fakeDns({ 'TXT _mta-sts.a.example': txt }))).toEqual(want);
});
