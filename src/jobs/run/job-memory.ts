import { openPassingRun } from '../../lists/answers.js';
import type { RunMemory } from '../../lists/keeper.js';
import type { Result } from '../../lists/pipeline.js';
import { rowVerdictOf } from '../../model/job.js';
import { isFresh } from '../../model/verdict-age.js';
import { type JobRecord, levelOf } from '../store/job-record.js';
import type { RunSettings } from './run-settings.js';

/**
 * The memory of a job: the answers of mailboxes that are repeated, what other runs kept, if the job may reuse it, and what
 * was sent to a paid service.
 */
export function openMemory(
  { store, clock }: RunSettings,
  job: JobRecord,
  { repeated, isPaid }: { repeated: ReadonlySet<string>; isPaid: boolean },
  later: { keep(answers: readonly { key: string; answer: Result }[]): void },
): RunMemory {
  const own = openPassingRun();
  const paidScope = `job:${job.id}`;
  const maxAgeMs = typeof job.options.maxAgeMs === 'number' ? job.options.maxAgeMs : null;
  const run: typeof own = {
    ...own,
    unfinished: isPaid ? { answered: 0, lastAt: 0, inDoubt: 0, jobs: [] } : null,
    inDoubt: async (keys) => {
      const sent = keys.map((key) => ({ key, answer: null }));
      await store.addAnswers(paidScope, sent, clock.now());
    },
    find: async (keys) => {
      const found = new Map(await own.find(keys, null));
      if (isPaid)
        for (const key of (await store.findAnswers(paidScope, keys)).keys()) if (!found.has(key)) found.set(key, null);
      if (maxAgeMs === null) return found;
      for (const [key, { answer, checkedAt }] of await store.findAnswers(levelOf(job), keys)) {
        const verdict = rowVerdictOf(answer);
        const isReused = verdict !== null && isFresh(verdict, clock.now() - checkedAt, maxAgeMs);
        if (isReused && !found.has(key)) found.set(key, verdict as unknown as Result);
      }
      return found;
    },
    add: async (known) => {
      const unpaid = known.filter(({ result }) => result === null).map(({ key }) => key);
      if (unpaid.length > 0) await store.dropAnswers(paidScope, unpaid);
      await own.add(known.filter(({ key }) => repeated.has(key)));
      later.keep(known.flatMap(({ key, result }) => (result === null ? [] : [{ key, answer: result }])));
    },
  };
  return { run, open: async () => run, maxAgeMs, needsDetails: false };
}
