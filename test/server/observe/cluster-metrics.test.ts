import { expect, test } from 'vitest';
import type { ClusterStats, WorkerStats } from '../../../src/jobs/store/cluster-stats.js';
import { createClusterMetrics, renderCluster } from '../../../src/server/observe/metrics.js';

const worker = (change: Partial<WorkerStats>): WorkerStats => ({
  ...{ name: 'w1', host: 'alpha', sourceIp: '192.0.2.1', silentMs: 1_500 },
  ...{ isAlive: true, slices: 12, blocks: 1 },
  metrics: { asked: 600, permits: 34, exceptions: 2, hosts: { connected: 5, waiting: 1, down: 3 }, storeMs: 4 },
  ...change,
});
const stats: ClusterStats = {
  workers: [worker({}), worker({ name: 'w"2"', sourceIp: null, silentMs: 61_000, isAlive: false, metrics: {} })],
  stalledJobs: 1,
  oldestQueuedMs: 70_000,
};

test('the stats of a cluster are rendered for Prometheus, workers by name', () => {
  const lines = renderCluster(stats).split('\n');
  for (const line of [
    'mailvet_workers{state="alive"} 1',
    'mailvet_workers{state="silent"} 1',
    'mailvet_worker_info{worker="w1",host="alpha",source_ip="192.0.2.1"} 1',
    'mailvet_worker_silent_seconds{worker="w\\"2\\""} 61',
    'mailvet_worker_slices{worker="w1"} 12',
    'mailvet_worker_permits{worker="w1"} 34',
    'mailvet_jobs_stalled 1',
    'mailvet_blocks{worker="w1"} 1',
    'mailvet_worker_mailboxes_total{worker="w1"} 600',
    'mailvet_worker_exceptions_total{worker="w1"} 2',
    'mailvet_worker_store_seconds{worker="w1"} 0.004',
    'mailvet_worker_mail_hosts{worker="w1",state="down"} 3',
    'mailvet_job_oldest_queued_seconds 70',
  ]) {
    expect(lines).toContain(line);
  }
});

test('the store is asked at most every two seconds, and a store that fails is not a failure', async () => {
  let now = 0;
  let asked = 0;
  const read = async (): Promise<ClusterStats> => {
    asked++;
    if (asked === 2) throw new Error('gone');
    return stats;
  };
  const metrics = createClusterMetrics(read, null, () => now);
  await Promise.all([metrics(), metrics()]);
  now = 1_999;
  expect(await metrics()).toContain('mailvet_worker_slices');
  expect(asked).toBe(1);
  now = 2_000;
  expect(await metrics()).toBe('');
  expect(await createClusterMetrics(null)()).toBe('');
});

test.each([
  {
    stats: { writeMs: 2.5, running: 12, waiting: 3, waitedMs: 1_500 },
    want: [
      ...['mailvet_queue_up 1', 'mailvet_queue_seconds 0.002500', 'mailvet_slices{state="running"} 12'],
      ...['mailvet_slices{state="waiting"} 3', 'mailvet_slice_waited_seconds 1.5'],
    ],
  },
  { stats: null, want: ['mailvet_queue_up 0'] },
])('a queue is reported even without the store: $stats', async ({ stats, want }) => {
  const failing = () => Promise.reject(new Error('gone'));
  const lines = (await createClusterMetrics(failing, async () => stats)()).split('\n').filter((line) => line !== '');
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual(want);
});
