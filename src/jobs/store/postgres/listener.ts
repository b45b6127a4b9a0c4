import type { Client } from 'pg';
import { withTimeout } from '../../../async/with-timeout.js';
import { endConnection } from './connections.js';
import type { Database } from './database.js';

const changes = 'mailvet_change';

/** Notifies all processes, at the commit, that keys or waiting jobs changed. */
export const notifyNodes = `SELECT pg_notify('${changes}', '')`;

/** Receives the notifications of all processes. */
export type Listener = ReturnType<typeof openListener>;

const reconnectMs = 500;
const maxReconnectMs = 5_000;
/** A connection that died silently is found by a query. */
const checkMs = 15_000;
const answerMs = 3_000;

/** Listens on its own connection, and reconnects when it breaks. */
export function openListener(database: Database) {
  let client: Client | null = null;
  let changeCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  let failures = 0;
  const changeHandlers = new Set<() => void>();
  const notifyChange = (): void => {
    changeCount++;
    for (const handler of changeHandlers) handler();
  };

  const reconnect = (): void => {
    const delayMs = Math.min(reconnectMs * 2 ** failures++, maxReconnectMs) * (0.5 + Math.random());
    if (!isClosed) timer = setTimeout(() => void connect(), delayMs).unref();
  };
  const dropConnection = (): void => {
    const broken = client;
    client = null;
    notifyChange();
    clearTimeout(timer);
    broken?.removeAllListeners('end');
    if (broken !== null) void endConnection(broken);
    reconnect();
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
    let newClient: Client | null = null;
    try {
      newClient = await database.connect();
      newClient.on('notification', notifyChange);
      newClient.once('end', () => {
        if (client === newClient) dropConnection();
      });
      await newClient.query(`LISTEN ${changes}`);
      if (isClosed) {
        await newClient.end();
        return;
      }
      client = newClient;
      failures = 0;
      notifyChange();
      timer = setTimeout(() => void check(), checkMs).unref();
    } catch {
      // A standby refuses LISTEN.
      void newClient?.end().catch(() => {});
      reconnect();
    }
  };
  const start = (): void => {
    if (!isStarted) void connect();
    isStarted = true;
  };
  return {
    /** A string that differs after a change; null while not connected. The first call starts to listen. */
    changeToken: () => {
      start();
      return client === null ? null : String(changeCount);
    },
    /** Calls the handler when keys or waiting jobs changed, or may have. Returns the function that stops it. */
    onChange: (handler: () => void) => {
      changeHandlers.add(handler);
      start();
      return () => void changeHandlers.delete(handler);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const open = client;
      client = null;
      open?.removeAllListeners('end');
      if (open !== null) await endConnection(open);
    },
  };
}
