import type { Client } from 'pg';
import type { Database } from './database.js';

const changes = 'mailvet_change';

/** The statement that tells all processes, at the commit, that keys or waiting jobs changed. */
export const notifyNodes = `SELECT pg_notify('${changes}', '')`;

/** Hears of changes that anybody makes. */
export interface Listener {
  /** A text that is the same only while nobody told of a change; null while that cannot be heard. Listens from the first call on. */
  mark(): string | null;
  /** Calls with what is said on a channel, and with null where something may have been missed. */
  subscribe(channel: string, heard: (said: string | null) => void): void;
  close(): Promise<void>;
}

const againMs = 1_000;
/** A connection that is dead without having said so is found out by asking. */
const proveMs = 10_000;
const answerMs = 3_000;

/** Listens on a connection of its own, made anew whenever it breaks. */
export function openListener(database: Database): Listener {
  let client: Client | null = null;
  let changed = 0;
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let closed = false;
  const handlers = new Map<string, (said: string | null) => void>([[changes, () => changed++]]);
  const missed = (): void => {
    for (const heard of handlers.values()) heard(null);
  };

  const drop = (): void => {
    const broken = client;
    client = null;
    missed();
    clearTimeout(timer);
    broken?.removeAllListeners('end');
    // It may be in the middle of an answer that never comes.
    void broken?.end().catch(() => {});
    if (!closed) timer = setTimeout(() => void connect(), againMs).unref();
  };
  const prove = async (): Promise<void> => {
    const asked = client;
    if (asked === null) return;
    let late: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('no answer')), answerMs).unref();
    });
    await Promise.race([asked.query('SELECT 1'), silence]).then(
      () => {
        if (client === asked) timer = setTimeout(() => void prove(), proveMs).unref();
      },
      () => {
        if (client === asked) drop();
      },
    );
    clearTimeout(late);
  };
  const connect = async (): Promise<void> => {
    try {
      const made = await database.connect();
      made.on('notification', ({ channel, payload = '' }) => handlers.get(channel)?.(payload));
      made.once('end', () => {
        if (client === made) drop();
      });
      for (const channel of handlers.keys()) await made.query(`LISTEN ${channel}`);
      if (closed) {
        await made.end();
        return;
      }
      client = made;
      missed();
      timer = setTimeout(() => void prove(), proveMs).unref();
    } catch {
      if (!closed) timer = setTimeout(() => void connect(), againMs).unref();
    }
  };
  const start = (): void => {
    if (!started) void connect();
    started = true;
  };
  return {
    mark: () => {
      start();
      return client === null ? null : String(changed);
    },
    subscribe: (channel, heard) => {
      handlers.set(channel, heard);
      // A connection that is being made may have passed this channel by: it is told of what it missed in any case.
      client?.query(`LISTEN ${channel}`).then(() => heard(null), drop);
      start();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      const open = client;
      client = null;
      open?.removeAllListeners('end');
      await open?.end().catch(() => {});
    },
  };
}
