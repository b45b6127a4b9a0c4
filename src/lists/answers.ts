import type { Result } from './pipeline.js';

/** An answer to keep; null forgets that the question was sent. */
export interface Known {
  key: string;
  result: Result | null;
}

/** What identifies a run: the same command on the same list. */
export interface RunKey {
  /** Back end, key and level. */
  scope: string;
  /** A digest of the list and of how it is read and written. */
  digest: string;
  /** The list, for messages. */
  name: string;
}

/** What an unfinished run has. */
export interface Unfinished {
  answered: number;
  lastAt: number;
  /** Sent and paid, perhaps, but never answered. */
  inDoubt: number;
  /** The jobs that were made for the list. */
  jobs: readonly string[];
}

/** The one memory of answers. */
export interface Answers {
  /** Whether any run of this machine was left unfinished. A cheap test. */
  anyUnfinished(): boolean;
  /** Whether this run was, or another process runs it. Opens nothing. */
  isUnfinished(key: RunKey): boolean;
  /** Starts a run, or continues an unfinished one. Throws `locked` if another process runs it. */
  begin(key: RunKey, options: { fresh: boolean }): Promise<Run>;
}

/** An answer that is known, or null for one that was sent and never answered. */
export type Found = ReadonlyMap<string, Result | null>;

/** A run knows what it has answered; `finish` comes only after its outputs are in place. */
export interface Run {
  readonly unfinished: Unfinished | null;
  /** Answers of this run, and with `maxAgeMs` those of any run that are no older. */
  find(keys: readonly string[], maxAgeMs: number | null): Promise<Found>;
  /** Records questions that are about to be paid. */
  inDoubt(keys: readonly string[]): Promise<void>;
  add(known: readonly Known[]): Promise<void>;
  attach(jobs: readonly string[]): Promise<void>;
  /** The run is complete: the next one asks everything again. */
  finish(): Promise<void>;
  /** Leaves the run to be continued. */
  close(): Promise<void>;
}

/** A run that is forgotten with the process. */
export function openPassingRun(): Run {
  const known = new Map<string, Result | null>();
  return {
    unfinished: null,
    find: async (keys) => {
      const found = new Map<string, Result | null>();
      for (const key of keys) {
        const result = known.get(key);
        if (result !== undefined) found.set(key, result);
      }
      return found;
    },
    inDoubt: async () => {},
    add: async (answers) => {
      for (const { key, result } of answers) {
        if (result === null) known.delete(key);
        else known.set(key, result);
      }
    },
    attach: async () => {},
    finish: async () => {},
    close: async () => {},
  };
}
