import type { Client } from 'pg';
import { withTimeout } from '../../../async/with-timeout.js';
import type { Database } from './database.js';

const changes = 'mailvet_change';

/** Notifies all processes, at the commit, that keys or waiting jobs changed. */
export const notifyNodes = `SELECT pg_notify('${changes}', '')`;

/** Receives the notifications of all processes. */
export type Listener = ReturnType<typeof openListener>;

const reconnectMs = 1_000;
/** A connection that died silently is found by a query. */
const checkMs = 10_000;
const answerMs = 3_000;

/** Listens on its own connection, and reconnects when it breaks. */
export function openListener(database: Database) {
  let client: Client | null = null;
  let changed = 0;
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let isClosed = false;
  const handlers = new Map<string, (payload: string | null) => void>([[changes, () => changed++]]);
  const notifyMissed = (): void => {
    for (const handler of handlers.values()) handler(null);
  };

  const drop = (): void => {
    const broken = client;
    client = null;
    notifyMissed();
    clearTimeout(timer);
    broken?.removeAllListeners('end');
    // Its query may never be answered.
    void broken?.end().catch(() => {});
    if (!isClosed) timer = setTimeout(() => void connect(), reconnectMs).unref();
  };
  const check = async (): Promise<void> => {
    const checked = client;
    if (checked === null) return;
    await withTimeout(checked.query('SELECT 1'), answerMs, new Error('no answer')).then(
      () => {
        if (client === checked) timer = setTimeout(() => void check(), checkMs).unref();
      },
      () => {
        if (client === checked) drop();
      },
    );
  };
  const connect = async (): Promise<void> => {
    try {
      const connected = await database.connect();
      connected.on('notification', ({ channel, payload = '' }) => handlers.get(channel)?.(payload));
      connected.once('end', () => {
        if (client === connected) drop();
      });
      for (const channel of handlers.keys()) await connected.query(`LISTEN ${channel}`);
      if (isClosed) {
        await connected.end();
        return;
      }
      client = connected;
      notifyMissed();
      timer = setTimeout(() => void check(), checkMs).unref();
    } catch {
      if (!isClosed) timer = setTimeout(() => void connect(), reconnectMs).unref();
    }
  };
  const start = (): void => {
    if (!started) void connect();
    started = true;
  };
  return {
    /** A text that differs after a change; null while not connected. Listens from the first call on. */
    changeMark: () => {
      start();
      return client === null ? null : String(changed);
    },
    /** Calls the handler with each payload, and with null if a notification may have been missed. */
    subscribe: (channel: string, handler: (payload: string | null) => void) => {
      handlers.set(channel, handler);
      // A connection in progress may skip this channel; its handler is called with null then.
      client?.query(`LISTEN ${channel}`).then(() => handler(null), drop);
      start();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const open = client;
      client = null;
      open?.removeAllListeners('end');
      await open?.end().catch(() => {});
    },
  };
}
