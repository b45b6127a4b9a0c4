import { expect, test } from 'vitest';
import type { ClusterReport } from '../../../src/model/store-report.js';
import { checkWorkers } from '../../../src/service/diagnosis/storage.js';

type Member = ClusterReport['members'][number];
const member = (change: Partial<Member>): Member => ({
  ...{ name: 'w1', kind: 'worker', host: 'alpha', source_ip: null, silent_ms: 900, alive: true, ...change },
});
const silent = member({ name: 'w2', silent_ms: 180_000, alive: false });
const block = { worker: 'w1', party: 'gmail.com', until: '2026-11-15T21:00:00.000Z', reply: '550 no' };

test.each<[name: string, report: Partial<ClusterReport>, state: string, says: string]>([
  ['live workers', { members: [member({ source_ip: '192.0.2.1' })] }, 'ok', 'w1 (192.0.2.1)'],
  ['none, if nothing waits', {}, 'skipped', 'No worker is registered'],
  ['jobs without a worker', { waiting_jobs: 2, members: [silent] }, 'warn', '2 jobs are waiting'],
  ['a silent worker', { members: [member({}), silent] }, 'warn', 'w2 on alpha for 3 min'],
  ['a refused worker', { members: [member({})], blocks: [block] }, 'warn', 'w1 by gmail.com'],
])('workers: %s', (_name, report, state, says) => {
  const check = checkWorkers({ waiting_jobs: 0, members: [], blocks: [], ...report });
  expect(check).toMatchObject({ state, message: expect.stringContaining(says) });
});
