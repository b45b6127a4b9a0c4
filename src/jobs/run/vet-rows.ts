import { createSemaphore } from '../../async/semaphore.js';
import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import { levelOf } from '../store/job-level.js';
import type { JobRecord } from '../store/store.js';
import {
  type Answer,
  type Deferral,
  type RetryContext,
  resumeDeferred,
  retryDeferred,
  type VetAddress,
} from './retry-deferred.js';
import type { PendingRow, RowQueue } from './row-queue.js';
import type { JobRun, RunSettings } from './run-settings.js';
import type { UncommittedResults } from './uncommitted-results.js';
import { isFresh } from './verdict-age.js';

/** The rows of a job being asked for. */
interface RowVetting {
  /** Every row has its final verdict. */
  isDone(): boolean;
  /** Nothing is left but to wait for mail servers that said "try later". */
  isWaiting(): boolean;
  /** Results were committed: more rows may be taken. */
  resume(): void;
  /** Takes no more rows, and waits for those under way as long as allowed. */
  drain(): Promise<void>;
  /** Aborts the rows under way; what they still answer is ignored. */
  abandon(): void;
}

const exception: RowVerdict = {
  status: 'unknown',
  sub_status: 'exception_occurred',
  confidence: 0,
  safe_to_send: false,
  did_you_mean: null,
};

/** Looking at the clock for each row takes a good part of the time that one takes at syntax level. */
const perLook = 16;

/** Begins to ask for the rows that are left; the run's alarm rings when there is enough to commit, or nothing more to ask. */
export function vetRows(settings: RunSettings, run: JobRun, queue: RowQueue, tally: UncommittedResults): RowVetting {
  const { clock, batchRows } = settings;
  const { signal } = run.abandoned;
  // Whoever stops while a row waits leaves it to the next run, which knows from the store when it is due.
  const waits = new AbortController();
  const patience = { clock, signal: waits.signal, waitMs: settings.greylistWaitMs };
  const land = openLanding(settings, run.job, queue, tally);
  let wakeFeed = (): void => {};
  const semaphore = createSemaphore(settings.maxOpen, () => wakeFeed());
  let open = 0;
  let fed = false;
  let stopping = false;
  let isTold = false;
  let failure: { error: unknown } | null = null;

  const landed = (put: () => void): void => {
    if (!signal.aborted) put();
    open--;
    semaphore.release();
    if (tally.size() >= batchRows || open === 0 || semaphore.inUse() === 0) run.signal.notify();
  };
  /** An answer that has to be waited for takes a place until it lands. */
  const follow = (pending: PendingRow, wait: (visit: RetryContext) => Promise<Answer>): void => {
    open++;
    semaphore.acquireNow();
    const onWait = (wait: Deferral, result: Answer): void => {
      if (!signal.aborted) land.wait(pending, wait, result);
    };
    wait({ semaphore, onWait }).then(
      (result) => landed(() => land.answer(pending, result, true)),
      (error: unknown) =>
        landed(() => {
          if (error === waits.signal.reason) return;
          if (!isTold) settings.onError?.(error);
          isTold = true;
          land.settle(pending, exception, false);
        }),
    );
  };
  const start = (pending: PendingRow): void => {
    const { row, email, earlier } = pending;
    if (email === '') {
      land.settle(pending, emptyVerdict, false);
    } else if (earlier !== undefined) {
      tally.wait(row, earlier.retryAt);
      follow(pending, (visit) => resumeDeferred(run.ask, email, patience, visit, earlier));
    } else {
      const answer = attempt(run.ask, email);
      if (answer instanceof Promise) follow(pending, (visit) => retryDeferred(answer, run.ask, email, patience, visit));
      else land.answer(pending, answer, false);
    }
  };
  const mustWait = (): boolean => !stopping && (semaphore.isFull() || tally.size() >= 4 * batchRows);
  const woken = (): Promise<void> => {
    if (tally.size() >= batchRows) run.signal.notify();
    return new Promise((resolve) => {
      wakeFeed = resolve;
    });
  };
  const feed = async (): Promise<void> => {
    while (!queue.isEmpty()) {
      while (mustWait()) await woken();
      const taken = await land.takeFromCache(queue.take(batchRows));
      for (const repeat of queue.takeRepeats()) tally.add(repeat, null);
      let started = 0;
      for (const pending of taken) {
        const paused = started++ % perLook === 0 ? run.maybeYield() : null;
        if (paused !== null) await paused;
        while (mustWait()) await woken();
        if (stopping) return;
        start(pending);
      }
      // What is answered at once, and what repeats it, lands without an answer to say so.
      if (tally.size() >= batchRows) run.signal.notify();
    }
    fed = true;
  };
  feed()
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(run.signal.notify);

  return {
    isDone: () => {
      if (failure !== null) throw (failure as { error: unknown }).error;
      return fed && open === 0;
    },
    isWaiting: () => fed && open > 0 && semaphore.inUse() === 0,
    resume: () => wakeFeed(),
    drain: async () => {
      stopping = true;
      waits.abort();
      wakeFeed();
      const until = clock.elapsed() + settings.drainMs;
      while (semaphore.inUse() > 0 && clock.elapsed() < until) await run.signal.wait(until - clock.elapsed());
    },
    abandon: () => {
      stopping = true;
      waits.abort();
      run.abandoned.abort();
      wakeFeed();
    },
  };
}

/** A bug met while asking is told as any other failure of an answer. */
function attempt(ask: VetAddress, email: string): ReturnType<VetAddress> {
  try {
    return ask(email);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Where answers land: final ones with their repeats, waiting ones with their time. */
function openLanding(settings: RunSettings, job: JobRecord, queue: RowQueue, tally: UncommittedResults) {
  const { clock, store, canonical } = settings;
  const scope = levelOf(job);
  const maxAgeMs = typeof job.options['maxAgeMs'] === 'number' ? job.options['maxAgeMs'] : null;
  const reuseUnknown = job.options['reuseUnknown'] !== false;
  const verdictOf = openVerdicts();

  const settle = ({ row, email, duplicate }: PendingRow, verdict: RowVerdict, remember: boolean): void => {
    if (email !== '' && !duplicate) settings.onVerdict?.(job, email, verdict);
    tally.add({ row, verdict, duplicate, retryAt: null, refusedAt: null }, remember ? canonical(email) : null);
    for (const repeat of queue.settle(row, verdict)) tally.add(repeat, null);
  };
  return {
    settle,
    /** What needed no network is as quickly found out again as looked up. */
    answer: (pending: PendingRow, result: Answer, neededNetwork: boolean): void =>
      settle(pending, verdictOf(result), neededNetwork),
    wait: ({ row, duplicate }: PendingRow, wait: Deferral, result: Answer): void =>
      tally.add({ row, verdict: verdictOf(result), duplicate, ...wait }, null),
    takeFromCache: async (rows: PendingRow[]): Promise<PendingRow[]> => {
      if (maxAgeMs === null || rows.length === 0) return rows;
      const keys = rows.map(({ email }) => canonical(email));
      const known = await store.cached(scope, keys);
      return rows.filter((pending, index) => {
        const hit = known.get(keys[index] ?? '');
        if (hit === undefined || (!reuseUnknown && hit.verdict.status === 'unknown')) return true;
        if (!isFresh(hit.verdict, clock.now() - hit.checkedAt, maxAgeMs)) return true;
        settle(pending, hit.verdict, false);
        if (!pending.duplicate) tally.reuse();
        return false;
      });
    },
  };
}

/** Takes verdicts out of answers. Neighbours in a list often get the same one: then it is the same object, which is kept and written once. */
function openVerdicts(): (result: Answer) => RowVerdict {
  let last: RowVerdict | null = null;
  return ({ status, sub_status, confidence, safe_to_send, did_you_mean }) => {
    const isSame =
      last !== null &&
      last.status === status &&
      last.sub_status === sub_status &&
      last.confidence === confidence &&
      last.safe_to_send === safe_to_send &&
      last.did_you_mean === did_you_mean;
    if (!isSame || last === null) last = { status, sub_status, confidence, safe_to_send, did_you_mean };
    return last;
  };
}
