import type { ClusterStats, ProcessStats } from '../../jobs/store/cluster-stats.js';

/** Counters for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

interface RequestCount {
  method: string;
  status: number;
  count: number;
  seconds: number;
}

export function createMetrics() {
  const requests = new Map<string, RequestCount[]>();
  const verdicts = new Map<string, number>();
  const startedAt = Date.now() / 1000;
  let inFlight = 0;
  let exceptions = 0;
  return {
    countResponse: (method: string, route: string, status: number, seconds: number) => {
      const entry = countOf(requests, method, route, status);
      entry.count++;
      entry.seconds += seconds;
    },
    countVerdicts: (status: string, count: number = 1) => verdicts.set(status, (verdicts.get(status) ?? 0) + count),
    /** Counts a bug of mailvet during a probe. */
    countException: () => {
      exceptions++;
    },
    requestStarted: () => {
      inFlight++;
    },
    requestEnded: () => {
      inFlight--;
    },
    requestsInFlight: () => inFlight,
    /**
     * The text exposition format, version 0.0.4. `storeSeconds`: response time of the store; null if it did not
     * respond.
     */
    render: (jobs: Readonly<Record<string, number>>, storeSeconds: number | null) => {
      const { rss } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const labeled = withLabels(requests);
      return [
        ...family('mailvet_http_requests_total', 'counter', 'Requests answered.'),
        ...labeled.map(([labels, { count }]) => `mailvet_http_requests_total{${labels}} ${count}`),
        ...family('mailvet_http_request_seconds_total', 'counter', 'Response time of requests.'),
        ...labeled.map(
          ([labels, { seconds }]) => `mailvet_http_request_seconds_total{${labels}} ${seconds.toFixed(6)}`,
        ),
        ...family('mailvet_http_requests_under_way', 'gauge', 'Requests in progress.'),
        `mailvet_http_requests_under_way ${inFlight}`,
        ...family('mailvet_verdicts_total', 'counter', 'Verdicts of single and bulk validation.'),
        ...[...verdicts].map(([status, count]) => `mailvet_verdicts_total{status="${status}"} ${count}`),
        ...family(
          'mailvet_exceptions_total',
          'counter',
          'Exceptions of mailvet while probing; the log has their stacks.',
        ),
        `mailvet_exceptions_total ${exceptions}`,
        ...family('mailvet_jobs', 'gauge', 'Jobs in the store, by state.'),
        ...Object.entries(jobs).map(([state, count]) => `mailvet_jobs{state="${state}"} ${count}`),
        ...family('mailvet_store_up', 'gauge', 'Whether the store responds.'),
        `mailvet_store_up ${storeSeconds === null ? 0 : 1}`,
        ...family('mailvet_store_seconds', 'gauge', 'Response time of the store.'),
        ...(storeSeconds === null ? [] : [`mailvet_store_seconds ${storeSeconds.toFixed(6)}`]),
        ...family('process_start_time_seconds', 'gauge', 'Start time of the server.'),
        `process_start_time_seconds ${startedAt}`,
        ...family('process_resident_memory_bytes', 'gauge', 'Resident memory.'),
        `process_resident_memory_bytes ${rss}`,
        ...family('process_cpu_seconds_total', 'counter', 'CPU time used.'),
        `process_cpu_seconds_total ${((user + system) / 1e6).toFixed(3)}`,
        '',
      ].join('\n');
    },
  };
}

function countOf(requests: Map<string, RequestCount[]>, method: string, route: string, status: number): RequestCount {
  const counts = requests.get(route) ?? [];
  for (const entry of counts) if (entry.status === status && entry.method === method) return entry;
  const counted = { method, status, count: 0, seconds: 0 };
  requests.set(route, [...counts, counted]);
  return counted;
}

function withLabels(requests: ReadonlyMap<string, readonly RequestCount[]>): [string, RequestCount][] {
  return [...requests].flatMap(([route, counts]) =>
    counts.map((entry): [string, RequestCount] => [
      `method="${entry.method}",route="${route}",status="${entry.status}"`,
      entry,
    ]),
  );
}

/** The header lines of a metric. */
function family(name: string, type: 'counter' | 'gauge', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

const cacheTtlMs = 2_000;

/**
 * Prometheus lines about all nodes of the store, cached for two seconds; none for a store of one machine, or one that
 * does not respond.
 */
export function createClusterMetrics(
  read: (() => Promise<ClusterStats>) | null,
  queueSeconds: (() => Promise<number | null>) | null = null,
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
      const queue = queueSeconds === null ? '' : queueSeconds().then(renderQueue);
      cached = Promise.all([cluster, queue]).then((parts) => parts.join(''));
    }
    return cached;
  };
}

export function renderCluster({
  processes,
  blocks,
  shards,
  probes,
  oldestDueMs,
  oldestQueuedMs,
}: ClusterStats): string {
  const workers = processes.filter(({ kind }) => kind === 'worker');
  const forEachWorker = (name: string, value: (worker: ProcessStats) => number): string[] =>
    workers.map((worker) => `${name}{worker="${label(worker.name)}"} ${value(worker)}`);
  const blockCounts = new Map<string, number>();
  for (const { worker } of blocks) blockCounts.set(worker, (blockCounts.get(worker) ?? 0) + 1);
  return [
    ...family('mailvet_workers', 'gauge', 'Workers of the store, by whether they are alive.'),
    ...[true, false].map((alive) => {
      const count = workers.filter(({ isAlive }) => isAlive === alive).length;
      return `mailvet_workers{state="${alive ? 'alive' : 'silent'}"} ${count}`;
    }),
    ...family('mailvet_worker_info', 'gauge', 'Host and source address of a worker.'),
    ...workers.map(
      ({ name, host, sourceIp }) =>
        `mailvet_worker_info{worker="${label(name)}",host="${label(host)}",source_ip="${label(sourceIp ?? '')}"} 1`,
    ),
    ...family('mailvet_worker_silent_seconds', 'gauge', 'Time since the last heartbeat of a worker.'),
    ...forEachWorker('mailvet_worker_silent_seconds', ({ silentMs }) => silentMs / 1000),
    ...family('mailvet_worker_jobs', 'gauge', 'Jobs that a worker runs.'),
    ...forEachWorker('mailvet_worker_jobs', ({ jobs }) => jobs),
    ...family('mailvet_worker_lanes', 'gauge', 'Shards of the mail hosts that a worker owns.'),
    ...forEachWorker('mailvet_worker_lanes', ({ shards }) => shards),
    ...family('mailvet_worker_probes', 'gauge', 'Mailboxes that a worker is probing.'),
    ...forEachWorker('mailvet_worker_probes', ({ probes }) => probes),
    ...family('mailvet_worker_probes_answered_total', 'counter', 'Mailboxes that a worker has probed.'),
    ...forEachWorker('mailvet_worker_probes_answered_total', ({ answered }) => answered),
    ...family('mailvet_worker_claims_total', 'counter', 'Mailboxes that a worker has claimed.'),
    ...forEachWorker('mailvet_worker_claims_total', ({ metrics }) => metrics.claimed ?? 0),
    ...family(
      'mailvet_worker_exceptions_total',
      'counter',
      'Exceptions of mailvet while a worker probed; its log has their stacks.',
    ),
    ...forEachWorker('mailvet_worker_exceptions_total', ({ metrics }) => metrics.exceptions ?? 0),
    ...family('mailvet_worker_store_seconds', 'gauge', 'Response time of the store to the last heartbeat of a worker.'),
    ...workers
      .filter(({ metrics }) => metrics.storeMs != null)
      .map(
        ({ name, metrics }) => `mailvet_worker_store_seconds{worker="${label(name)}"} ${(metrics.storeMs ?? 0) / 1000}`,
      ),
    ...family('mailvet_worker_mail_hosts', 'gauge', 'Mail hosts of a worker, by state.'),
    ...workers.flatMap(({ name, metrics }) =>
      hostLines(`mailvet_worker_mail_hosts{worker="${label(name)}",`, metrics.hosts ?? {}),
    ),
    ...family('mailvet_lanes', 'gauge', 'Shards that are owned, and shards with work due.'),
    ...[`mailvet_lanes{state="held"} ${shards.owned}`, `mailvet_lanes{state="waiting"} ${shards.waiting}`],
    ...family('mailvet_probes', 'gauge', 'Mailboxes to be probed.'),
    ...[`mailvet_probes{state="waiting"} ${probes.waiting}`, `mailvet_probes{state="under_way"} ${probes.inFlight}`],
    ...family('mailvet_probe_oldest_due_seconds', 'gauge', 'How long the oldest due probe has waited.'),
    `mailvet_probe_oldest_due_seconds ${oldestDueMs / 1000}`,
    ...family('mailvet_job_oldest_queued_seconds', 'gauge', 'How long the oldest job that no process runs has waited.'),
    `mailvet_job_oldest_queued_seconds ${oldestQueuedMs / 1000}`,
    ...family('mailvet_blocks', 'gauge', 'Providers and mail hosts that refuse a worker.'),
    ...workers.map(({ name }) => `mailvet_blocks{worker="${label(name)}"} ${blockCounts.get(name) ?? 0}`),
    '',
  ].join('\n');
}

/** Whether the queue responds, and how fast; `seconds` is null if it does not. */
export function renderQueue(seconds: number | null): string {
  return [
    ...family('mailvet_queue_up', 'gauge', 'Whether the queue responds; without it, work is slightly slower.'),
    `mailvet_queue_up ${seconds === null ? 0 : 1}`,
    ...family('mailvet_queue_seconds', 'gauge', 'Response time of the queue.'),
    ...(seconds === null ? [] : [`mailvet_queue_seconds ${seconds.toFixed(6)}`]),
    '',
  ].join('\n');
}

/** Mail hosts that a process probes itself, by state. */
export function renderHosts(hosts: Readonly<Record<string, number>>): string {
  const lines = hostLines('mailvet_mail_hosts{', hosts);
  return [...family('mailvet_mail_hosts', 'gauge', 'Mail hosts of this process, by state.'), ...lines, ''].join('\n');
}

function hostLines(prefix: string, hosts: Readonly<Record<string, number>>): string[] {
  return Object.entries(hosts).map(([state, count]) => `${prefix}state="${label(state)}"} ${count}`);
}

function label(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
