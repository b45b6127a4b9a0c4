import { databaseFailure } from './database-failure.js';

/** Tells once that the database went away, and once that it is back. */
interface Outage {
  /** Something that was asked at `askedAt` failed; what was asked before the end of the last outage proves nothing. */
  began(error: unknown, askedAt: number): void;
  /** Something was answered; what was asked before the outage proves nothing. */
  ended(askedAt: number): void;
  /** The time to give as `askedAt`. */
  now(): number;
}

/** Watches one database. */
export function openOutage(name: string, say: (text: string) => void): Outage {
  const now = (): number => performance.now();
  let since: number | null = null;
  let overAt = Number.NEGATIVE_INFINITY;
  const time = (): string => new Date().toISOString();
  return {
    now,
    began: (error, askedAt) => {
      if (since !== null || askedAt < overAt) return;
      since = now();
      const { message } = databaseFailure(error, name);
      say(`${message} (${time()}) mailvet tries again until it can; nothing that was done is lost.`);
    },
    ended: (askedAt) => {
      if (since === null || askedAt <= since) return;
      const seconds = Math.max(1, Math.round((now() - since) / 1000));
      since = null;
      overAt = now();
      say(`The database ${name} answers again, after ${seconds} s (${time()}).`);
    },
  };
}
