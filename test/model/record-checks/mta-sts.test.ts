import { expect, test } from 'vitest';
import { mtaSts } from '../../../src/model/record-checks/mta-sts.js';
import { fakeDns, found, nodata, nxdomain, servfail, timeout } from '../../fakes/fake-dns.js';

const record = 'v=STSv1; id=20160831085700Z;';

test.each([
  ['one record', found(record), { state: 'passed', detail: record }],
  ['one record among others', found('token=1', record), { state: 'passed', detail: record }],
  ['a space before the first separator', found('v=STSv1 ; id=1'), { state: 'passed', detail: 'v=STSv1 ; id=1' }],
  ['two records void both', found(record, 'v=STSv1; id=2'), { state: 'failed', reason: 'ambiguous' }],
  ['the version is case-sensitive', found('v=stsv1; id=1'), { state: 'failed', reason: 'absent' }],
  ['another version does not count', found('v=STSv10; id=1'), { state: 'failed', reason: 'absent' }],
  ['no such name', nxdomain, { state: 'failed', reason: 'absent' }],
  ['no text', nodata, { state: 'failed', reason: 'absent' }],
  ['a timeout is not an absence', timeout, { state: 'unknown', reason: 'no_answer' }],
  ['SERVFAIL is not an absence', servfail, { state: 'unknown', reason: 'no_answer' }],
])('mta-sts: %s', async (_name, txt, want) => {
  expect(await mtaSts.check('a.example', fakeDns({ 'TXT _mta-sts.a.example': txt }))).toEqual(want);
});
