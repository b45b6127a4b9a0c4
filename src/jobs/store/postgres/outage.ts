import { databaseFailure } from './database-failure.js';

/** Tells once that the database went away, and once that it is back. */
export interface Outage {
  began(error: unknown): void;
  ended(): void;
}

/** Watches one database. */
export function openOutage(name: string, say: (text: string) => void, now: () => number = Date.now): Outage {
  let since: number | null = null;
  return {
    began: (error) => {
      if (since !== null) return;
      since = now();
      const { message } = databaseFailure(error, name);
      say(
        `${message} (${new Date(since).toISOString()}) mailvet tries again until it can; nothing that was done is lost.`,
      );
    },
    ended: () => {
      if (since === null) return;
      const seconds = Math.max(1, Math.round((now() - since) / 1000));
      since = null;
      say(`The database ${name} answers again, after ${seconds} s (${new Date(now()).toISOString()}).`);
    },
  };
}
