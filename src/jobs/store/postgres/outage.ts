import { databaseFailure } from './database-failure.js';

/** Reports once that the database is lost, and once that it is back. */
interface Outage {
  /** A statement of `startedAt` failed; one from before the end of the last outage is ignored. */
  began(error: unknown, startedAt: number): void;
  /** A statement succeeded; one from before the outage is ignored. */
  ended(startedAt: number): void;
  /** The clock of `startedAt`. */
  now(): number;
}

export function openOutage(name: string, onNote: (text: string) => void): Outage {
  const now = (): number => performance.now();
  let since: number | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  const time = (): string => new Date().toISOString();
  return {
    now,
    began: (error, startedAt) => {
      if (since !== null || startedAt < endedAt) return;
      since = now();
      const { message } = databaseFailure(error, name);
      onNote(`${message} (${time()}) mailvet keeps trying; finished work is not lost.`);
    },
    ended: (startedAt) => {
      if (since === null || startedAt <= since) return;
      const seconds = Math.max(1, Math.round((now() - since) / 1000));
      since = null;
      endedAt = now();
      onNote(`The database ${name} answers again, after ${seconds} s (${time()}).`);
    },
  };
}
