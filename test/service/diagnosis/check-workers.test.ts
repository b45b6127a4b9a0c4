import { expect, test } from 'vitest';
import type { ClusterReport } from '../../../src/model/store-report.js';
import { checkWorkers } from '../../../src/service/diagnosis/storage.js';

type Member = ClusterReport['members'][number];
const member = (change: Partial<Member>): Member => ({
  ...{ name: 'w1', kind: 'worker', host: 'alpha', source_ip: null, silent_ms: 900, alive: true, ...change },
});
const silent = member({ name: 'w2', silent_ms: 180_000, alive: false });
const block = { worker: 'w1', party: 'gmail.com', until: '2026-11-15T21:00:00.000Z', reply: '550 no' };

test.each<{ name: string; report: Partial<ClusterReport>; state: string; says: string }>([
  {
    name: 'live workers',
    report: { members: [member({ source_ip: '192.0.2.1' })] },
    state: 'ok',
    says: 'w1 (192.0.2.1)',
  },
  { name: 'none, if nothing waits', report: {}, state: 'skipped', says: 'No worker is registered' },
  {
    name: 'jobs without a worker',
    report: { waiting_jobs: 2, members: [silent] },
    state: 'warn',
    says: '2 jobs are waiting',
  },
  { name: 'a silent worker', report: { members: [member({}), silent] }, state: 'warn', says: 'w2 on alpha for 3 min' },
  {
    name: 'a refused worker',
    report: { members: [member({})], blocks: [block] },
    state: 'warn',
    says: 'w1 by gmail.com',
  },
])('workers: $name', ({ report, state, says }) => {
  const check = checkWorkers({ waiting_jobs: 0, members: [], blocks: [], ...report });
  expect(check).toMatchObject({ state, message: expect.stringContaining(says) });
});
