import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lazy } from '../../async/lazy.js';
import { replaceFile } from '../../disk/atomic-file.js';
import { makeOwnFolder, makePrivateFolder } from '../../disk/private-folder.js';
import { storageFailure } from '../../disk/storage-failure.js';
import type { StoreLocation } from '../../jobs/store/open-store.js';
import type { JobStore } from '../../jobs/store/store.js';
import { openJobFiles } from '../../jobs/uploads/job-files.js';
import type { Answers, Known, Run, RunKey, Unfinished } from '../../lists/answers.js';
import type { Result } from '../../lists/pipeline.js';
import { isFresh } from '../../model/verdict-age.js';
import { lockAt } from '../work-lock.js';

interface AnswersOptions {
  home: string;
  /** Answers cost credits, so they are continued for longer. */
  isPaid: boolean;
  /** How long answers are kept. */
  keepMs: number;
  onNote?: ((text: string) => void) | undefined;
  now?(): number;
}

const hourMs = 60 * 60_000;
/** How long a run can be continued. */
const continuedMs = { free: 24 * hourMs, paid: 7 * 24 * hourMs };

/** The memory of answers in the embedded store of this machine. */
export function openAnswers(options: AnswersOptions): Answers {
  const { home, isPaid, onNote, now = Date.now } = options;
  const records = openRunRecords(home, now);
  return {
    anyUnfinished: records.any,
    isUnfinished: (key) => records.isOpen(digestOf(key)),
    begin: async (key, { fresh }) => {
      const id = digestOf(key);
      const unlock = lockRun(home, records.lockPath(id), key.name);
      try {
        await records.prune();
        if (fresh) await records.remove(id);
        const record = records.read(id);
        const isExpired = record !== null && now() - record.startedAt > continuedMs[isPaid ? 'paid' : 'free'];
        if (isExpired)
          onNote?.(`An earlier run of ${key.name} is too old to be continued, so everything is asked again.`);
        const open = () => openHomeStore({ home, ...(onNote && { onNote }) });
        const earlier = isExpired ? null : record;
        return new StoredRun(open, records, id, key.scope, earlier, { ...options, now, unlock });
      } catch (error) {
        unlock();
        throw storageFailure(error, home);
      }
    },
  };
}

/** Deletes a mailbox's answers from the embedded store of this machine: the number of them. */
export async function forgetAnswers(home: string, mailbox: string): Promise<number> {
  if (!existsSync(openJobFiles(home).storePath)) return 0;
  const store = await openHomeStore({ home });
  try {
    const count = await store.forgetAnswers(mailbox);
    await store.compact();
    return count;
  } finally {
    await store.close();
  }
}

/** A short run ends before it needs the store, and does not load it. */
async function openHomeStore(location: StoreLocation): Promise<JobStore> {
  const { openStore } = await import('../../jobs/store/open-store.js');
  return (await openStore(location)).store;
}

function digestOf({ scope, digest }: RunKey): string {
  return createHash('sha256').update(`${scope}\n${digest}`).digest('hex').slice(0, 32);
}

function lockRun(home: string, path: string, name: string): () => void {
  try {
    makePrivateFolder(home);
    makeOwnFolder(dirname(path));
  } catch (error) {
    throw storageFailure(error, home);
  }
  return lockAt(path, name);
}

/** A run whose answers are in the store. */
class StoredRun implements Run {
  readonly unfinished: Unfinished | null;
  private readonly record: RunRecord;

  /** Opened at the first answer: a job has its own store. */
  private readonly store: ReturnType<typeof lazy<JobStore>>;
  /** Questions in doubt stand apart from answers, which another run may have paid. */
  private readonly doubts: string;
  private isLost = false;

  constructor(
    openStore: () => Promise<JobStore>,
    private readonly records: ReturnType<typeof openRunRecords>,
    private readonly id: string,
    private readonly scope: string,
    earlier: RunRecord | null,
    private readonly options: AnswersOptions & { now(): number; unlock(): void },
  ) {
    const now = options.now();
    this.store = lazy(openStore);
    this.doubts = `${scope}?`;
    this.record = earlier ?? { startedAt: now, lastAt: now, answered: 0, inDoubt: 0, jobs: [] };
    this.unfinished = earlier === null ? null : { ...earlier };
  }

  async find(keys: readonly string[], maxAgeMs: number | null): Promise<Map<string, Result | null>> {
    const { now, isPaid } = this.options;
    const found = new Map<string, Result | null>();
    const store = await this.store.get();
    const isOwn = (checkedAt: number): boolean => checkedAt >= this.record.startedAt;
    for (const [key, { checkedAt }] of isPaid ? await store.findAnswers(this.doubts, keys) : [])
      if (isOwn(checkedAt)) found.set(key, null);
    for (const [key, { answer, checkedAt }] of await store.findAnswers(this.scope, keys)) {
      const result = answer as Result | null;
      const isReused = maxAgeMs !== null && result !== null && isFresh(result, now() - checkedAt, maxAgeMs);
      if (isOwn(checkedAt) || isReused) found.set(key, result);
    }
    return found;
  }

  async inDoubt(keys: readonly string[]): Promise<void> {
    const questions = keys.map((key) => ({ key, answer: null }));
    await (await this.store.get()).addAnswers(this.doubts, questions, this.options.now());
    await this.update({ inDoubt: this.record.inDoubt + keys.length });
  }

  async add(known: readonly Known[]): Promise<void> {
    if (this.isLost) return;
    const { isPaid, home, now, onNote } = this.options;
    const answers = known.flatMap(({ key, result }) => (result === null ? [] : [{ key, answer: result }]));
    try {
      const store = await this.store.get();
      await store.addAnswers(this.scope, answers, now());
      const settled = known.map(({ key }) => key);
      if (isPaid) await store.dropAnswers(this.doubts, settled);
      const inDoubt = Math.max(0, this.record.inDoubt - known.length);
      await this.update({ answered: this.record.answered + answers.length, inDoubt });
    } catch (error) {
      if (isPaid) throw error;
      this.isLost = true;
      const { message } = storageFailure(error, home);
      onNote?.(`Answers are no longer kept, so an interrupted run asks for them again. ${message}`);
    }
  }

  async attach(jobs: readonly string[]): Promise<void> {
    await this.update({ jobs });
  }

  private async update(change: Partial<RunRecord>): Promise<void> {
    Object.assign(this.record, change, { lastAt: this.options.now() });
    await this.records.write(this.id, this.record).catch((error: unknown) => {
      throw storageFailure(error, this.options.home);
    });
  }

  async finish(): Promise<void> {
    await this.records.remove(this.id);
    if (!this.isLost) await (await this.store.opened())?.pruneAnswers(this.options.now() - this.options.keepMs);
    await this.close();
  }

  async close(): Promise<void> {
    try {
      await (await this.store.opened())?.close();
    } finally {
      this.options.unlock();
    }
  }
}

/** What is known of a run that is not complete. It names no address and no list. */
interface RunRecord {
  /** Unix milliseconds, as the other times. */
  startedAt: number;
  lastAt: number;
  answered: number;
  /** Sent, perhaps paid, and not answered. */
  inDoubt: number;
  jobs: readonly string[];
}

const maxRecords = 100;
const ending = '.json';

/** The records of the runs of this machine that are not complete. */
export function openRunRecords(home: string, now: () => number = Date.now) {
  const folder = join(home, 'runs');
  const pathOf = (id: string): string => join(folder, `${id}${ending}`);
  const read = (id: string): RunRecord | null => {
    try {
      const record = JSON.parse(readFileSync(pathOf(id), 'utf8')) as RunRecord;
      const isComplete = Array.isArray(record.jobs) && [record.startedAt, record.lastAt].every(Number.isFinite);
      return isComplete ? record : null;
    } catch {
      // Missing or damaged: the run starts again.
      return null;
    }
  };
  const names = (): string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  const ids = (): string[] => names().flatMap((name) => (name.endsWith(ending) ? name.slice(0, -ending.length) : []));
  const lockPath = (id: string): string => join(folder, `${id}.lock`);
  const remove = (id: string): Promise<void> => rm(pathOf(id), { force: true });
  return {
    lockPath,
    /** Whether there is any, or a run in progress. A cheap test for the start of a command. */
    any: (): boolean => names().length > 0,
    /** Whether a run has a record, or is in progress. */
    isOpen: (id: string): boolean => existsSync(pathOf(id)) || existsSync(lockPath(id)),
    read,
    write: async (id: string, record: RunRecord): Promise<void> => {
      makePrivateFolder(home);
      makeOwnFolder(folder);
      await replaceFile(pathOf(id), JSON.stringify(record));
    },
    remove,
    /** Removes those that are too old to be continued. */
    prune: async (): Promise<void> => {
      const found = ids().map((id) => ({ id, lastAt: read(id)?.lastAt ?? 0 }));
      const newestFirst = found.sort((one, other) => other.lastAt - one.lastAt);
      const old = newestFirst.filter(({ lastAt }, index) => index >= maxRecords || now() - lastAt > continuedMs.paid);
      for (const { id } of old) await remove(id);
    },
    /** Forgets these jobs, whose rows were written. */
    removeJobs: async (jobs: readonly string[]): Promise<void> => {
      for (const id of ids()) if (read(id)?.jobs.some((job) => jobs.includes(job))) await remove(id);
    },
  };
}
