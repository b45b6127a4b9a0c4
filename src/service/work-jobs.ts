import { openFileLock } from '../jobs/file-lock.js';
import { createRunner, type RunnerOptions } from '../jobs/runner.js';
import type { JobFilter, JobRecord } from '../jobs/store.js';
import type { JobRoom, LocalJobsOptions } from './local-jobs.js';

export interface WorkOptions extends LocalJobsOptions {
  room: JobRoom;
  only?: JobFilter;
  signal?: AbortSignal;
  /** The jobs to finish; without it, work goes on until the signal says stop. */
  look?(): Promise<JobRecord[]>;
  onLook?(jobs: JobRecord[]): void;
  /** Where work goes on for ever: told of what went wrong. */
  onError?(failure: unknown): void;
}

const lookMs = 500;
const lookAnywayMs = 5_000;
/** Jobs of one list that run side by side, sharing one engine and so its limits for each mail host. */
const parallelJobs = 4;

/** Runs jobs side by side until those looked at have ended, whoever ran them, or until the signal says stop. */
export async function workJobs(options: WorkOptions): Promise<void> {
  const { room, look, signal } = options;
  // Limits for each mail host hold within one process, so only one at a time asks mail hosts.
  const turn = options.level === 'smtp' ? openFileLock(room.files.lockPath('mail-hosts')) : null;
  const runner = createRunner({
    ...room,
    canonical: options.canonical,
    vet: (email, stop) => options.validate(email, { signal: stop }),
    ...runnerSettings(options),
  });
  const running = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const mayHaveWork = watchStore(room.store);
  try {
    while (!signal?.aborted) {
      const jobs = (await look?.()) ?? null;
      if (jobs !== null) options.onLook?.(jobs);
      if (failures.length > 0) break;
      if (running.size === 0 && jobs?.every(hasEnded)) return;
      if ((turn?.tryAcquire() ?? true) && mayHaveWork()) {
        while (running.size < parallelJobs) {
          const claimed = await startNext(runner, options, running, failures);
          if (!claimed) break;
        }
      }
      await pause(lookMs, running, signal);
    }
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
  } finally {
    turn?.close();
  }
}

/** True unless nobody has written to the store since the last time; now and then anyway, since a worker dies without a word. */
function watchStore(store: JobRoom['store']): () => boolean {
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

/** True where there was a job to start. It is known only when the runner has claimed one, so wait for that or its end. */
async function startNext(
  runner: ReturnType<typeof createRunner>,
  { only, onError }: WorkOptions,
  running: Set<Promise<unknown>>,
  failures: unknown[],
): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const run = runner
      .runNext(only, () => resolve(true))
      .then(
        (ran) => resolve(ran !== null),
        (failure: unknown) => {
          if (onError === undefined) failures.push(failure);
          else onError(failure);
          resolve(false);
        },
      );
    running.add(run);
    void run.finally(() => running.delete(run));
  });
}

function runnerSettings({ concurrency, greylistWaitMs, signal }: WorkOptions): Partial<RunnerOptions> {
  return {
    ...(concurrency != null && { concurrency }),
    ...(greylistWaitMs !== undefined && { greylistWaitMs }),
    ...(signal && { signal }),
  };
}

function hasEnded({ state }: JobRecord): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}

/** Until a run ends, the signal says stop, or `ms` have passed. */
async function pause(ms: number, running: ReadonlySet<Promise<unknown>>, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
    if (running.size > 0) void Promise.race(running).then(done);
  });
}
