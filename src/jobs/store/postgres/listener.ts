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
  let changeCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  const handlers = new Map<string, (payload: string | null) => void>([[changes, () => changeCount++]]);
  const notifyMissed = (): void => {
    for (const handler of handlers.values()) handler(null);
  };

  const dropConnection = (): void => {
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
    const checkedClient = client;
    if (checkedClient === null) return;
    await withTimeout(checkedClient.query('SELECT 1'), answerMs, new Error('no answer')).then(
      () => {
        if (client === checkedClient) timer = setTimeout(() => void check(), checkMs).unref();
      },
      () => {
        if (client === checkedClient) dropConnection();
      },
    );
  };
  const connect = async (): Promise<void> => {
    try {
      const newClient = await database.connect();
      newClient.on('notification', ({ channel, payload = '' }) => handlers.get(channel)?.(payload));
      newClient.once('end', () => {
        if (client === newClient) dropConnection();
      });
      for (const channel of handlers.keys()) await newClient.query(`LISTEN ${channel}`);
      if (isClosed) {
        await newClient.end();
        return;
      }
      client = newClient;
      notifyMissed();
      timer = setTimeout(() => void check(), checkMs).unref();
    } catch {
      if (!isClosed) timer = setTimeout(() => void connect(), reconnectMs).unref();
    }
  };
  const start = (): void => {
    if (!isStarted) void connect();
    isStarted = true;
  };
  return {
    /** A text that differs after a change; null while not connected. Listens from the first call on. */
    changeMark: () => {
      start();
      return client === null ? null : String(changeCount);
    },
    /** Calls the handler with each payload, and with null if a notification may have been missed. */
    subscribe: (channel: string, handler: (payload: string | null) => void) => {
      handlers.set(channel, handler);
      // A connection in progress may skip this channel; its handler is called with null then.
      client?.query(`LISTEN ${channel}`).then(() => handler(null), dropConnection);
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
