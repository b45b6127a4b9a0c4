import { createBatcher } from '../../async/batcher.js';
import { LruMap } from '../../async/lru-map.js';
import type { ProbeAnswer } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import type { ShardQueue } from './bullmq-queue.js';
import { answersChannel, jobBatchMs, parseMessage } from './channels.js';
import { isInteractive, type ProbeRow, RequestTable, type StoredProbe } from './request-table.js';

/** Called with the answer of a probe; null: no worker is left. */
type OnAnswer = (answer: ProbeAnswer | null) => void;

interface PendingProbe {
  row: ProbeRow;
  onAnswer: OnAnswer;
  /** The id of its row, which changes if the row was deleted and inserted again; null before the insert. */
  id: number | null;
  /** When to poll for its answer, in case the notification was lost. */
  pollAt: number;
  isCanceled: boolean;
}

const rowsPerInsert = 1_000;
const interactivePollMs = 2_000;
const jobPollMs = 20_000;
const minWakeIntervalMs = 500;

/** The probes of this process that workers are to answer: rows of the request table, and callbacks for their answers. */
export class PendingProbes {
  private readonly table;
  private readonly node: string;
  private readonly pending = new Map<number, PendingProbe>();
  /** Probes whose answer was announced before the insert returned their ids. */
  private readonly answeredEarly = new LruMap<true>({ maxEntries: 10_000 });
  private readonly wokenAt = new LruMap<number>({ maxEntries: 2_048 });
  private readonly timer: NodeJS.Timeout;
  private readonly insert;
  private readonly deleteRow;
  private readonly readRow;

  constructor(
    { database, heartbeat, listener }: Cluster,
    private readonly queue: ShardQueue,
    workers: { names: readonly string[] },
  ) {
    this.table = new RequestTable(database);
    this.node = heartbeat.id;
    const insertRows = (rows: readonly ProbeRow[]) => this.insertRows(rows);
    // A user does not wait for the large batch of a job.
    const insertNow = createBatcher(insertRows);
    const insertLater = createBatcher(insertRows, { maxWaitMs: () => jobBatchMs(workers) });
    this.insert = (row: ProbeRow) => (isInteractive(row) ? insertNow : insertLater)(row);
    this.deleteRow = createBatcher((ids: readonly number[]) => this.table.remove(ids).then(() => ids), {
      maxWaitMs: () => jobBatchMs(workers),
    });
    const readRows = (ids: readonly number[]) => this.readRows(ids);
    this.readRow = { interactive: createBatcher(readRows), job: createBatcher(readRows) };
    listener.subscribe(answersChannel(this.node), (message) => this.onNotified(message));
    this.timer = setInterval(() => this.pollOverdue(), interactivePollMs).unref();
  }

  /** Inserts a probe and calls `onAnswer` when it is answered; resolves to a function that cancels it. */
  async add(row: ProbeRow, onAnswer: OnAnswer): Promise<() => void> {
    const probe = { row, onAnswer, id: null, pollAt: 0, isCanceled: false };
    await this.submit(probe);
    return () => this.cancel(probe);
  }

  /** Hands all probes back: no worker is left to answer them. */
  returnAll(): void {
    for (const [id, { onAnswer }] of this.pending) {
      this.pending.delete(id);
      this.deleteRow(id).catch(() => {});
      onAnswer(null);
    }
  }

  count(): number {
    return this.pending.size;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async submit(probe: PendingProbe): Promise<void> {
    const { row, onAnswer } = probe;
    const { id, answer } = await this.insert(row);
    if (answer !== null || probe.isCanceled) {
      this.discard(row, id);
      if (answer !== null) onAnswer(answer);
      return;
    }
    probe.id = id;
    probe.pollAt = performance.now() + pollAfterMs(row);
    this.pending.set(id, probe);
    if (this.answeredEarly.has(String(id))) this.poll([id]);
  }

  /** The caller no longer waits; another one for the same row may. */
  private cancel(probe: PendingProbe): void {
    const { id, row } = probe;
    probe.isCanceled = true;
    if (id === null) return;
    if (this.pending.get(id) === probe) this.pending.delete(id);
    this.discard(row, id);
  }

  private async insertRows(rows: readonly ProbeRow[]): Promise<StoredProbe[]> {
    const storedProbes: StoredProbe[] = [];
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      const { stored, free } = await this.table.insert(this.node, rows.slice(start, start + rowsPerInsert));
      storedProbes.push(...stored);
      this.wake(free);
    }
    return storedProbes;
  }

  private async readRows(ids: readonly number[]): Promise<(StoredProbe | null)[]> {
    const byId = new Map((await this.table.read(ids)).map((stored) => [stored.id, stored]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  private wake(shards: readonly string[]): void {
    const now = performance.now();
    const shardsToWake = shards.filter(
      (shard) => now - (this.wokenAt.get(shard) ?? Number.NEGATIVE_INFINITY) >= minWakeIntervalMs,
    );
    for (const shard of shardsToWake) this.wokenAt.set(shard, now);
    if (shardsToWake.length > 0) this.queue.wake(shardsToWake);
  }

  /** A job's answers stay until its results are committed, so that the next owner of the job can read them. */
  private discard(row: ProbeRow, id: number): void {
    if (isInteractive(row)) this.deleteRow(id).catch(() => {});
  }

  /** A null message means that notifications may have been missed. */
  private onNotified(message: string | null): void {
    const ids = message === null ? [...this.pending.keys()] : parseMessage(message).map(Number);
    if (message !== null) for (const id of ids) if (!this.pending.has(id)) this.answeredEarly.set(String(id), true);
    this.poll(ids.filter((id) => this.pending.has(id)));
  }

  private pollOverdue(): void {
    const now = performance.now();
    const overdue: number[] = [];
    for (const [id, probe] of this.pending) {
      if (probe.pollAt > now) continue;
      probe.pollAt = now + pollAfterMs(probe.row);
      overdue.push(id);
    }
    this.poll(overdue);
  }

  private poll(ids: Iterable<number>): void {
    // A failed poll is repeated by the timer.
    for (const id of ids) this.fetch(id).catch(() => {});
  }

  private async fetch(id: number): Promise<void> {
    const awaited = this.pending.get(id);
    const kind = awaited !== undefined && isInteractive(awaited.row) ? 'interactive' : 'job';
    const stored = await this.readRow[kind](id);
    const probe = this.pending.get(id);
    if (probe === undefined || (stored !== null && stored.answer === null)) return;
    this.pending.delete(id);
    if (stored === null) {
      // Deleted, by a sweep or a failover: insert the row again, or poll again if that fails.
      try {
        await this.submit(probe);
      } catch (error) {
        if (!probe.isCanceled) this.pending.set(id, probe);
        throw error;
      }
      return;
    }
    this.discard(probe.row, id);
    probe.onAnswer(stored.answer);
  }
}

function pollAfterMs(row: ProbeRow): number {
  return isInteractive(row) ? interactivePollMs : jobPollMs;
}
