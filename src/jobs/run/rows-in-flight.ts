import { openAlarm } from '../../async/wake-up.js';
import type { RowVerdict } from '../../model/job.js';
import type { ValidationResult } from '../../model/result.js';
import type { JobRecord } from '../store/store.js';
import type { PendingRow, RowQueue } from './row-queue.js';
import type { RunSettings } from './run-settings.js';
import { openTally, type Tally } from './uncommitted-results.js';
import { isFresh } from './verdict-age.js';

/** The rows being asked for, and what came of them. */
export interface Flight {
  tally: Tally;
  /** There is enough to commit. */
  isFull(): boolean;
  /** Starts as many rows as may run at once. */
  fill(): Promise<void>;
  /** Every row has its final verdict. */
  isDone(): boolean;
  /** Milliseconds until a deferred row is due. */
  untilDue(): number;
  /** Until something is to be committed or started, or `ms` have passed. */
  sleep(ms: number): Promise<void>;
  wake(): void;
  /** Waits for the rows in flight as long as allowed. */
  drain(): Promise<void>;
  /** Aborts the rows in flight; what they still answer is ignored. */
  abandon(): void;
}

/** After each answer that asks for patience, come back so much later (verdicts: greylisting). */
const comeBackMs = [60_000, 5 * 60_000, 15 * 60_000];
const exception: RowVerdict = {
  status: 'unknown',
  sub_status: 'exception_occurred',
  confidence: 0,
  safe_to_send: false,
  did_you_mean: null,
};

/** Begins with no row in flight. */
export function openFlight(settings: RunSettings, job: JobRecord, queue: RowQueue): Flight {
  const { clock, concurrency, batchRows } = settings;
  const alarm = openAlarm(clock);
  const abandoned = new AbortController();
  const ground = openGround(settings, job, queue);
  const { tally } = ground;
  let ready: PendingRow[] = [];
  let active = 0;

  const isFull = (): boolean => tally.size() >= batchRows;
  const launch = (pending: PendingRow): void => {
    active++;
    const landed = (land: () => void): void => {
      if (!abandoned.signal.aborted) land();
      active--;
      if (!startReady() || isFull() || active === 0) alarm.ring();
    };
    ask(settings, pending.email, abandoned.signal, job).then(
      (result) => landed(() => ground.answer(pending, result)),
      () => landed(() => ground.settle(pending, exception, false)),
    );
  };
  /** False where more rows could run than are ready. */
  const startReady = (): boolean => {
    while (active < concurrency) {
      const next = ready.at(-1);
      if (next === undefined) break;
      if (settings.signal?.aborted || tally.size() >= 4 * batchRows) return true;
      ready.pop();
      launch(next);
    }
    return active >= concurrency || queue.isEmpty();
  };
  return {
    tally,
    isFull,
    fill: async () => {
      while (!isFull() && !startReady()) {
        const taken = queue.take(Math.max(batchRows, concurrency));
        for (const repeat of queue.takeRepeats()) tally.add(repeat, null);
        if (taken.length === 0) return;
        ready = (await ground.takeFromCache(taken)).reverse();
      }
    },
    isDone: () => active === 0 && ready.length === 0 && queue.isEmpty(),
    untilDue: () => Math.max(1, queue.untilDue()),
    sleep: alarm.sleep,
    wake: alarm.ring,
    drain: async () => {
      const until = clock.elapsed() + settings.drainMs;
      while (active > 0 && clock.elapsed() < until) await alarm.sleep(until - clock.elapsed());
    },
    abandon: () => abandoned.abort(),
  };
}

/** Where answers land: final ones with their repeats, or back in the queue. */
function openGround(settings: RunSettings, job: JobRecord, queue: RowQueue) {
  const { clock } = settings;
  const scope = typeof job.options['cacheScope'] === 'string' ? job.options['cacheScope'] : '';
  const maxAgeMs = typeof job.options['maxAgeMs'] === 'number' ? job.options['maxAgeMs'] : null;
  const reuseUnknown = job.options['reuseUnknown'] !== false;
  const tally = openTally(scope);

  const settle = ({ row, attempts, canonical }: PendingRow, verdict: RowVerdict, remember: boolean): void => {
    const result = { row, verdict, duplicate: false, retryAt: null, attempts: attempts + 1 };
    tally.add(result, remember ? canonical : null);
    for (const repeat of queue.settle(row, verdict)) tally.add(repeat, null);
  };
  const answer = (pending: PendingRow, result: ValidationResult): void => {
    const { status, sub_status, confidence, safe_to_send, did_you_mean } = result;
    const verdict = { status, sub_status, confidence, safe_to_send, did_you_mean };
    const now = clock.now();
    const waitMs = comeBackIn(result, pending.attempts, now, settings.greylistWaitMs);
    if (waitMs === null) {
      settle(pending, verdict, true);
      return;
    }
    const attempts = pending.attempts + 1;
    tally.add({ row: pending.row, verdict, duplicate: false, retryAt: now + waitMs, attempts }, null);
    queue.defer({ ...pending, attempts }, waitMs);
  };
  const takeFromCache = async (rows: PendingRow[]): Promise<PendingRow[]> => {
    if (maxAgeMs === null) return rows;
    const keys = rows.map(({ canonical }) => canonical);
    const known = await settings.store.cached(scope, keys);
    return rows.filter((pending) => {
      const hit = known.get(pending.canonical);
      if (hit === undefined || (!reuseUnknown && hit.verdict.status === 'unknown')) return true;
      if (!isFresh(hit.verdict, clock.now() - hit.checkedAt, maxAgeMs)) return true;
      settle(pending, hit.verdict, false);
      return false;
    });
  };
  return { tally, settle, answer, takeFromCache };
}

/** A vet function that throws at once rejects like any other. */
async function ask(
  { vet }: RunSettings,
  email: string,
  signal: AbortSignal,
  job: JobRecord,
): Promise<ValidationResult> {
  return await vet(email, signal, job);
}

/** In how many milliseconds to ask again, or null where this answer stands. */
function comeBackIn(result: ValidationResult, attempts: number, now: number, waitMs: number): number | null {
  if (result.status !== 'unknown' || result.retry_at === undefined) return null;
  const pauseMs = comeBackMs[attempts];
  const waitedMs = comeBackMs.slice(0, attempts + 1).reduce((sum, ms) => sum + ms, 0);
  if (pauseMs === undefined || waitedMs > waitMs) return null;
  const jittered = pauseMs * (1 + Math.random() * 0.2);
  return Math.round(Math.max(jittered, Math.min(result.retry_at * 1000 - now, 2 * pauseMs)));
}
