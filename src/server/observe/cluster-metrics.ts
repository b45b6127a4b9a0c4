import type { ClusterStats, WorkerStats } from '../../jobs/store/cluster-stats.js';
import { family } from './metrics.js';

const freshMs = 2_000;

/**
 * Prometheus lines about all nodes of the store, cached for two seconds; none for a store of one machine, or one that
 * does not respond.
 */
export function openClusterMetrics(
  read: (() => Promise<ClusterStats>) | null,
  queueSeconds: (() => Promise<number | null>) | null = null,
  now: () => number = () => performance.now(),
): () => Promise<string> {
  if (read === null) return async () => '';
  let known: Promise<string> | null = null;
  let staleAt = 0;
  return () => {
    if (known === null || now() >= staleAt) {
      staleAt = now() + freshMs;
      // `mailvet_store_up` reports that.
      const cluster = read().then(renderCluster, () => '');
      const queue = queueSeconds === null ? '' : queueSeconds().then(renderQueue);
      known = Promise.all([cluster, queue]).then((parts) => parts.join(''));
    }
    return known;
  };
}

export function renderCluster({ members, blocks, lanes, probes, oldestDueMs }: ClusterStats): string {
  const workers = members.filter(({ kind }) => kind === 'worker');
  const each = (name: string, value: (worker: WorkerStats) => number): string[] =>
    workers.map((worker) => `${name}{worker="${label(worker.name)}"} ${value(worker)}`);
  const refused = new Map<string, number>();
  for (const { worker } of blocks) refused.set(worker, (refused.get(worker) ?? 0) + 1);
  return [
    ...family('mailvet_workers', 'gauge', 'Workers that share the store, by whether they give signs of life.'),
    ...[true, false].map((alive) => {
      const count = workers.filter(({ isAlive }) => isAlive === alive).length;
      return `mailvet_workers{state="${alive ? 'alive' : 'silent'}"} ${count}`;
    }),
    ...family('mailvet_worker_info', 'gauge', 'Where a worker runs, and the address that mail servers see.'),
    ...workers.map(
      ({ name, host, sourceIp }) =>
        `mailvet_worker_info{worker="${label(name)}",host="${label(host)}",source_ip="${label(sourceIp ?? '')}"} 1`,
    ),
    ...family('mailvet_worker_silent_seconds', 'gauge', 'Time since the last sign of life of a worker.'),
    ...each('mailvet_worker_silent_seconds', ({ silentMs }) => silentMs / 1000),
    ...family('mailvet_worker_jobs', 'gauge', 'Jobs that a worker runs.'),
    ...each('mailvet_worker_jobs', ({ jobs }) => jobs),
    ...family('mailvet_worker_lanes', 'gauge', 'Lanes, each a group of mail servers, that a worker holds.'),
    ...each('mailvet_worker_lanes', ({ lanes: held }) => held),
    ...family('mailvet_worker_probes', 'gauge', 'Mailboxes that a worker asks for.'),
    ...each('mailvet_worker_probes', ({ probes: underWay }) => underWay),
    ...family('mailvet_worker_probes_answered_total', 'counter', 'Mailboxes that a worker got an answer for.'),
    ...each('mailvet_worker_probes_answered_total', ({ answered }) => answered),
    ...family('mailvet_lanes', 'gauge', 'Lanes that a worker holds, and lanes with something due.'),
    ...[`mailvet_lanes{state="held"} ${lanes.held}`, `mailvet_lanes{state="waiting"} ${lanes.waiting}`],
    ...family('mailvet_probes', 'gauge', 'Mailboxes to be asked for.'),
    ...[`mailvet_probes{state="waiting"} ${probes.waiting}`, `mailvet_probes{state="under_way"} ${probes.underWay}`],
    ...family('mailvet_probe_oldest_due_seconds', 'gauge', 'How long the mailbox that is due for longest has waited.'),
    `mailvet_probe_oldest_due_seconds ${oldestDueMs / 1000}`,
    ...family('mailvet_blocks', 'gauge', 'Providers and mail servers that refuse a worker.'),
    ...workers.map(({ name }) => `mailvet_blocks{worker="${label(name)}"} ${refused.get(name) ?? 0}`),
    '',
  ].join('\n');
}

/** Whether the queue responds, and how fast; `seconds` is null where it does not. */
export function renderQueue(seconds: number | null): string {
  return [
    ...family(
      'mailvet_queue_up',
      'gauge',
      'Whether the queue of lanes answers; without it, work goes on a little slower.',
    ),
    `mailvet_queue_up ${seconds === null ? 0 : 1}`,
    ...family('mailvet_queue_seconds', 'gauge', 'Time that the queue took to answer, just now.'),
    ...(seconds === null ? [] : [`mailvet_queue_seconds ${seconds.toFixed(6)}`]),
    '',
  ].join('\n');
}

/** Escapes a label value. */
function label(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
