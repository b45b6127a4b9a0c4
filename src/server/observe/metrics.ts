import type { QueueCounts } from '../../jobs/queue/queue.js';
import type { ClusterStats, WorkerStats } from '../../jobs/store/cluster-stats.js';

/** A metric of Prometheus. A sample has labels, a value, and for a histogram the suffix of its name. */
interface Family {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  samples: readonly Sample[];
}

type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number | string, suffix?: string];

/** The text exposition format, version 0.0.4. */
function renderFamilies(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value, suffix = '']) => `${name}${suffix}${renderLabels(labels)} ${value}`),
  ]);
  return [...lines, ''].join('\n');
}

function renderLabels(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Counters for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** The requests of a route, by method and status, and their response times. */
interface RouteCounts {
  requests: Map<string, number>;
  /** By the bucket of `bucketBounds` that is the first to hold the time; the last is for all that are slower. */
  buckets: number[];
  seconds: number;
}

/** Upper bounds in seconds: from an answer of the cache to a slow mail server. */
const bucketBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics() {
  const routes = new Map<string, RouteCounts>();
  const verdicts = new Map<string, number>();
  const startedAt = Date.now() / 1000;
  let exceptions = 0;
  return {
    countResponse: (method: string, route: string, status: number, seconds: number) => {
      const counts = routes.get(route) ?? { requests: new Map(), buckets: [...bucketBounds, 0].fill(0), seconds: 0 };
      routes.set(route, counts);
      let bucket = 0;
      while (seconds > (bucketBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
      counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
      counts.seconds += seconds;
      const kind = `${method} ${status}`;
      counts.requests.set(kind, (counts.requests.get(kind) ?? 0) + 1);
    },
    countVerdicts: (status: string, count: number = 1) => verdicts.set(status, (verdicts.get(status) ?? 0) + count),
    /** Counts a bug of mailvet during a probe. */
    countException: () => {
      exceptions++;
    },
    /** `underWay`: requests in progress. `storeSeconds`: response time of the store; null if it did not respond. */
    render: (underWay: number, jobs: Readonly<Record<string, number>>, storeSeconds: number | null) => {
      const { user, system } = process.cpuUsage();
      const requests = [...routes].flatMap(([route, counts]) =>
        [...counts.requests].map(([kind, count]): Sample => {
          const [method = '', status = ''] = kind.split(' ');
          return [{ method, route, status }, count];
        }),
      );
      const times = [...routes].flatMap(([route, counts]) => histogramOf(route, counts));
      const status = byState(Object.fromEntries(verdicts), {}, 'status');
      const bugs = 'Exceptions of mailvet while probing; the log has their stacks.';
      return renderFamilies([
        family('mailvet_http_requests_total', 'Requests answered.', requests),
        { ...family('mailvet_http_request_seconds', 'Response times by route.', times), type: 'histogram' },
        family('mailvet_http_requests_under_way', 'Requests in progress.', underWay),
        family('mailvet_verdicts_total', 'Verdicts of single and bulk validation.', status),
        family('mailvet_exceptions_total', bugs, exceptions),
        family('mailvet_jobs', 'Jobs in the store, by state.', byState(jobs)),
        family('mailvet_store_up', 'Whether the store responds.', storeSeconds === null ? 0 : 1),
        family('mailvet_store_seconds', 'Response time of the store.', secondsOrNone(storeSeconds)),
        family('process_start_time_seconds', 'Start time of the server.', startedAt),
        family('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage().rss),
        family('process_cpu_seconds_total', 'CPU time used.', Number(((user + system) / 1e6).toFixed(3))),
      ]);
    },
  };
}

/** The cumulative buckets of a route. */
function histogramOf(route: string, { buckets, seconds }: RouteCounts): Sample[] {
  let count = 0;
  const cumulative = buckets.map((inBucket, at): Sample => {
    count += inBucket;
    return [{ route, le: bucketBounds[at] ?? '+Inf' }, count, '_bucket'];
  });
  return [...cumulative, [{ route }, seconds.toFixed(6), '_sum'], [{ route }, count, '_count']];
}

/** By convention the name of a counter ends with `_total`. */
function family(name: string, help: string, value: number | readonly Sample[]): Family {
  const samples = typeof value === 'number' ? [[{}, value] as const] : value;
  return { name, type: name.endsWith('_total') ? 'counter' : 'gauge', help, samples };
}

function byState(counts: Readonly<Record<string, number>>, others = {}, label = 'state'): Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ ...others, [label]: name }, count]);
}

function secondsOrNone(seconds: number | null): Sample[] {
  return seconds === null ? [] : [[{}, seconds.toFixed(6)]];
}

const cacheTtlMs = 2_000;

/**
 * Prometheus lines about all nodes of the store, cached for two seconds; none for a store of one machine, or one that
 * does not respond.
 */
export function createClusterMetrics(
  read: (() => Promise<ClusterStats>) | null,
  queueCounts: (() => Promise<QueueCounts | null>) | null = null,
  now: () => number = () => performance.now(),
): () => Promise<string> {
  if (read === null) return async () => '';
  let cached: Promise<string> | null = null;
  let staleAt = 0;
  return () => {
    if (cached === null || now() >= staleAt) {
      staleAt = now() + cacheTtlMs;
      // A store that does not respond is reported by `mailvet_store_up`.
      const cluster = read().then(renderCluster, () => '');
      const queue = queueCounts === null ? '' : queueCounts().then(renderQueue);
      cached = Promise.all([cluster, queue]).then((parts) => parts.join(''));
    }
    return cached;
  };
}

/** What is known of each worker. */
const ofWorkers: readonly (readonly [name: string, help: string, value: (worker: WorkerStats) => number | null])[] = [
  ['silent_seconds', 'Time since the last heartbeat of a worker.', ({ silentMs }) => silentMs / 1000],
  ['slices', 'Slices of lists that a worker asks.', ({ slices }) => slices],
  ['permits', 'Mail hosts that a worker holds a permit for.', ({ metrics }) => metrics.permits ?? 0],
  ['mailboxes_total', 'Mailboxes that a worker has asked mail servers for.', ({ metrics }) => metrics.asked ?? 0],
  ['exceptions_total', 'Exceptions of mailvet while a worker probed.', ({ metrics }) => metrics.exceptions ?? 0],
  [
    'store_seconds',
    'Response time of the store to the last heartbeat of a worker.',
    ({ metrics: { storeMs } }) => (storeMs == null ? null : storeMs / 1000),
  ],
];

export function renderCluster(stats: ClusterStats): string {
  const { workers, stalledJobs, oldestQueuedMs } = stats;
  const alive = workers.filter(({ isAlive }) => isAlive).length;
  const states = { alive, silent: workers.length - alive };
  const hosts = workers.flatMap(({ name, metrics }) => byState(metrics.hosts ?? {}, { worker: name }));
  const info = workers.map(
    ({ name, host, sourceIp }): Sample => [{ worker: name, host, source_ip: sourceIp ?? '' }, 1],
  );
  const blocked = workers.map(({ name, blocks }): Sample => [{ worker: name }, blocks]);
  return renderFamilies([
    family('mailvet_workers', 'Workers of the store, by whether they are alive.', byState(states)),
    family('mailvet_worker_info', 'Host and source address of a worker.', info),
    ...ofWorkers.map(([name, help, read]) => {
      const values = workers.map((worker) => [{ worker: worker.name }, read(worker)] as const);
      const samples = values.flatMap(([labels, value]): Sample[] => (value === null ? [] : [[labels, value]]));
      return family(`mailvet_worker_${name}`, help, samples);
    }),
    family('mailvet_worker_mail_hosts', 'Mail hosts of a worker, by state.', hosts),
    family('mailvet_jobs_stalled', 'Jobs without progress for five minutes, although rows are due.', stalledJobs),
    family('mailvet_job_oldest_queued_seconds', 'Wait of the oldest job that nobody runs.', oldestQueuedMs / 1000),
    family('mailvet_blocks', 'Providers and mail hosts that refuse a worker.', blocked),
  ]);
}

/** Whether the queue can be written, how fast, and what is in it; null if it cannot. */
export function renderQueue(stats: QueueCounts | null): string {
  const up = 'Whether the queue can be written; without it, lists make no progress.';
  if (stats === null) return renderFamilies([family('mailvet_queue_up', up, 0)]);
  const { running, waiting, waitedMs, writeMs } = stats;
  return renderFamilies([
    family('mailvet_queue_up', up, 1),
    family('mailvet_queue_seconds', 'Time for a write to the queue.', secondsOrNone(writeMs / 1000)),
    family('mailvet_slices', 'Slices in the queue: asked now, and waiting.', byState({ running, waiting })),
    family('mailvet_slice_waited_seconds', 'How long the next slice has waited.', (waitedMs ?? 0) / 1000),
  ]);
}

/** Mail hosts that a process probes itself, by state. */
export function renderHosts(hosts: Readonly<Record<string, number>>): string {
  return renderFamilies([family('mailvet_mail_hosts', 'Mail hosts of this process, by state.', byState(hosts))]);
}
