import { sleep, systemClock } from '../../async/clock.js';
import { createSignal, type Signal } from '../../async/signal.js';
import { openFileLock } from '../../disk/file-lock.js';
import { createRunner, type RunnerOptions } from '../../jobs/run/runner.js';
import type { JobFilter, JobRecord } from '../../jobs/store/store.js';
import type { LocalJobsOptions, OpenedJobs } from './open-jobs.js';

/** Told of each mailbox that is answered. */
export type OnVerdict = NonNullable<RunnerOptions['onVerdict']>;

interface WorkOptions extends LocalJobsOptions {
  room: OpenedJobs;
  only?: JobFilter;
  signal?: AbortSignal;
  /** The jobs to finish; without it, work goes on until the signal says stop. */
  look?(): Promise<JobRecord[]>;
  onLook?(jobs: JobRecord[]): void;
  /** Where work goes on for ever: told of what went wrong. */
  onError?(failure: unknown): void;
  onVerdict?: OnVerdict;
  /** Until so much time has passed, or the signal says stop. */
  rest?(ms: number): Promise<void>;
}

const lookMs = 500;
const longestLookMs = 5_000;
const lookAnywayMs = 5_000;
const firstRestMs = 1_000;
const longestRestMs = 60_000;
/** Jobs are begun while fewer rows are at work: the jobs of one list gain nothing side by side, those of many callers do. Jobs that only wait for mail servers do not count. */
const rowsAtWork = { ofOneList: 100_000, ofAll: 1_000_000 };
const mostJobsAtWork = 64;
/** Jobs that this process has begun, at work or waiting. */
const mostJobs = 1_000;
/** A job beside many others still fills a session or two. */
const leastRowsUnderWay = 100;

/** The jobs that this process has begun. */
interface Crew {
  running: Set<Promise<unknown>>;
  /** Those that do more than wait for mail servers, and how many rows each has. */
  atWork: Map<Promise<unknown>, number>;
  /** Rings when one of them has ended. */
  alarm: Signal;
}

/** Runs jobs side by side until those looked at have ended, whoever ran them, or until the signal says stop. */
export async function workJobs(options: WorkOptions): Promise<void> {
  const { room, look, signal } = options;
  // Limits for each mail server hold within one process, so only one at a time asks mail servers. Workers that share a database keep
  // them together.
  const keepsLanes = options.address != null && options.card?.kind === 'worker';
  const turn = options.level === 'smtp' && !keepsLanes ? openFileLock(room.disk.lockPath('mail-hosts')) : null;
  const runner = createRunner({
    ...options,
    ...room,
    // A lone job fills every session; several share what one would have.
    maxOpen: () => Math.max(leastRowsUnderWay, Math.floor(options.rowsUnderWay / Math.max(1, atWork.size))),
  });
  const crew: Crew = { running: new Set(), atWork: new Map(), alarm: createSignal(systemClock) };
  const { running, atWork, alarm } = crew;
  const trouble = openTrouble(options);
  const mayHaveWork = watchStore(room.store);
  signal?.addEventListener('abort', alarm.notify);
  try {
    while (!signal?.aborted) {
      const from = performance.now();
      const jobs = (await look?.()) ?? null;
      // Where the store is crowded, who looks as often as ever makes it more so.
      const restMs = Math.max(lookMs, Math.min(2 * (performance.now() - from), longestLookMs));
      if (jobs !== null) options.onLook?.(jobs);
      if (trouble.isFatal()) break;
      await trouble.rest();
      if (running.size === 0 && jobs?.every(hasEnded)) return;
      if ((turn?.tryAcquire() ?? true) && mayHaveWork()) {
        while (hasRoom(crew, look === undefined ? rowsAtWork.ofAll : rowsAtWork.ofOneList)) {
          const claimed = await startNext(runner, options, crew, trouble);
          if (!claimed || trouble.isNew()) break;
        }
      }
      // Who only waits does not keep another process from its work.
      if (atWork.size === 0) turn?.release();
      await alarm.wait(restMs);
    }
    await Promise.all(running);
    trouble.throwFatal();
  } finally {
    signal?.removeEventListener('abort', alarm.notify);
    turn?.close();
  }
}

interface Trouble {
  note(failure: unknown): void;
  /** A job went well. */
  passed(): void;
  isNew(): boolean;
  /** A job that fails on a full disk is given back, and would be tried again at once, with all its addresses asked for again. */
  rest(): Promise<void>;
  /** There is nobody to tell, so the work ends. */
  isFatal(): boolean;
  throwFatal(): void;
}

function openTrouble({
  onError,
  signal,
  rest = (ms) => sleep(systemClock, ms, signal).catch(() => {}),
}: WorkOptions): Trouble {
  const fatal: unknown[] = [];
  let inARow = 0;
  let isNew = false;
  return {
    note: (failure) => {
      inARow++;
      isNew = true;
      if (onError === undefined) fatal.push(failure);
      else onError(failure);
    },
    passed: () => {
      inARow = 0;
    },
    isNew: () => isNew,
    rest: async () => {
      if (!isNew) return;
      isNew = false;
      await rest(Math.min(firstRestMs * 2 ** (inARow - 1), longestRestMs));
    },
    isFatal: () => fatal.length > 0,
    throwFatal: () => {
      if (fatal.length > 0) throw fatal[0];
    },
  };
}

/** True unless nobody has written to the store since the last time; now and then anyway, since a worker dies without a word. */
function watchStore(store: OpenedJobs['store']): () => boolean {
  let seen: string | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const mark = store.changeMark();
    const now = performance.now();
    if (mark !== null && mark === seen && now - lookedAt < lookAnywayMs) return false;
    seen = mark;
    lookedAt = now;
    return true;
  };
}

/** A job that only waits gives its place to another. */
function hasRoom({ running, atWork }: Crew, mostRows: number): boolean {
  if (running.size >= mostJobs || atWork.size >= mostJobsAtWork) return false;
  let rows = 0;
  for (const total of atWork.values()) rows += total;
  return rows < mostRows;
}

/** True where there was a job to start. It is known only when the runner has claimed one, so wait for that or its end. */
async function startNext(
  runner: ReturnType<typeof createRunner>,
  { only }: WorkOptions,
  { running, atWork, alarm }: Crew,
  trouble: Trouble,
): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    let rows = 0;
    const onClaim = ({ total }: JobRecord): void => {
      rows = total;
      atWork.set(run, rows);
      resolve(true);
    };
    const onWaiting = (waiting: boolean): void => {
      if (waiting) atWork.delete(run);
      else atWork.set(run, rows);
    };
    const run = runner.runNext(only, { onClaim, onWaiting }).then(
      (ran) => {
        if (ran !== null) trouble.passed();
        resolve(ran !== null);
        return ran !== null;
      },
      (failure: unknown) => {
        trouble.note(failure);
        resolve(false);
        return true;
      },
    );
    running.add(run);
    void run.then((isNews) => {
      running.delete(run);
      atWork.delete(run);
      // Where there was no job, looking again at once would find none either.
      if (isNews) alarm.notify();
    });
  });
}

function hasEnded({ state }: JobRecord): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}
