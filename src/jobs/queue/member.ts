import { withTimeout } from '../../async/with-timeout.js';
import type { Prober } from '../../net/probe/prober.js';
import type { ProcessInfo } from '../store/cluster-stats.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { queueLeftJobs } from '../store/postgres/slices.js';
import { answerNodes, workersAsProber } from './ask-workers.js';
import { startFeeder } from './feeder.js';
import type { QueueCounts, SharedQueue } from './queue.js';
import { leaveRefusals } from './refusals.js';

/** A process of a cluster: who works, and what the queue does for it. */
export type Member = Awaited<ReturnType<typeof openMember>>;

interface MemberOptions {
  cluster: Cluster;
  kind: ProcessInfo['kind'];
  /** The address of Redis; null: one process works alone. */
  redis: string | null;
  /** A provider that accepts many sessions from each address. */
  isLarge(provider: string): boolean;
  /** Called when the queue is lost and is back, and when another process does the work. */
  onNote(text: string): void;
}

/** A slower queue counts as not answering. */
const maxResponseMs = 2_000;

export async function openMember({ cluster, kind, redis, isLarge, onNote }: MemberOptions) {
  const { heartbeat } = cluster;
  await heartbeat.register();
  const queue: SharedQueue | null =
    redis === null ? null : (await import('./redis-queue.js')).openRedisQueue(redis, onNote);
  const stopFeeding = queue === null ? () => {} : startFeeder(cluster, queue, (error) => onNote(String(error)));
  let isAnnounced = false;
  let isStandbyNoted = false;

  const isWanted = (isUnclaimed: boolean): boolean => {
    const { workers } = heartbeat.view();
    const others = heartbeat.colleagues();
    if (kind === 'command') return others.length === 0 || isUnclaimed;
    if (queue !== null) return kind === 'worker' || others.every((other) => other.kind !== 'worker');
    // Without a queue one process works: the one that did first.
    return isAnnounced ? (workers[0]?.id ?? heartbeat.id) === heartbeat.id : others.length === 0;
  };
  const workers = (): readonly string[] => heartbeat.view().workers.map(({ name }) => name);
  const announce = (works: boolean): void => {
    if (works === isAnnounced) return;
    isAnnounced = works;
    void heartbeat.announce(works);
  };
  return {
    queue,
    name: heartbeat.name,
    /** Whether this process is to take slices. A command does if there is no other, or if no other does: they may have another level. */
    mayWork: (isUnclaimed = false): boolean => {
      const works = isWanted(isUnclaimed);
      announce(works);
      if (!works && queue === null && kind !== 'command' && !isStandbyNoted) {
        isStandbyNoted = true;
        const [other] = heartbeat.colleagues();
        onNote(
          `The lists of this database are worked on by ${other?.kind} ${other?.name}. To share the work, give all processes one Redis with the setting queue; until then this one takes over when that one ends.`,
        );
      }
      return works;
    },
    /** Takes no more slices, after the last one has ended. */
    rest: async () => {
      announce(false);
      await queueLeftJobs(cluster.database, heartbeat.id).catch(() => {});
    },
    /** The names of the live workers. */
    workers,
    /** The prober for jobs. */
    jobProber: (prober: Prober): Prober => leaveRefusals(prober, cluster, isLarge),
    /** A prober that asks through workers. */
    workersProber: (withinMs: number): Prober | null => (queue === null ? null : workersAsProber(queue, withinMs)),
    /** Answers for nodes that cannot ask themselves; returns the function that stops it. */
    answerNodes: (prober: Prober, onError: (error: unknown) => void): (() => Promise<void>) =>
      queue === null ? async () => {} : answerNodes(queue, prober, onError).stop,
    publish: heartbeat.publish,
    /** What is in the queue; null if it cannot be written. */
    queueCounts: queue === null ? null : () => countOrNull(queue.counts(workers())),
    close: async () => {
      stopFeeding();
      await queue?.close();
    },
  };
}

function countOrNull(counting: Promise<QueueCounts>): Promise<QueueCounts | null> {
  return withTimeout(counting, maxResponseMs, new Error('no answer')).catch(() => null);
}
