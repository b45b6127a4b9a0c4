import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/jobs/store/postgres/database.js';
import { openListener } from '../../../../src/jobs/store/postgres/listener.js';

/** AuthenticationOk and ReadyForQuery. */
const login = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/** A server that sends `greeting` after the first bytes of a client, and nothing else. It keeps its side of a connection open. */
async function startSilentServer(greeting: Buffer) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => socket.write(greeting));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address: `postgres://mailvet@127.0.0.1:${(server.address() as AddressInfo).port}/store`, sockets };
}

const uses: Record<string, (database: Database) => unknown> = {
  'a statement': (database) => database.read((sql) => sql.get('SELECT 1')).catch(() => {}),
  'a listener': (database) => openListener(database).changeToken(),
};

test.each(
  Object.keys(uses).flatMap((use) => [
    { use, moment: 'before the login', greeting: Buffer.alloc(0) },
    { use, moment: 'after the login', greeting: login },
  ]),
)('a closed database leaves no socket of $use open if the server falls silent $moment', async ({ use, greeting }) => {
  const { address, sockets } = await startSilentServer(greeting);
  const database = openDatabase(address);
  uses[use]?.(database);
  await vi.waitUntil(() =>
    [...sockets].some(({ bytesWritten, bytesRead }) => bytesRead > 0 && bytesWritten === greeting.length),
  );
  await sleep(50);
  await database.close();
  // A socket that is only half closed would take these bytes, and stay.
  await vi.waitFor(() => {
    for (const socket of sockets) socket.write('x');
    expect(sockets.size).toBe(0);
  });
});

test('a statement that waits for a connection fails when the database is closed', async () => {
  const { address } = await startSilentServer(login);
  const database = openDatabase(address, { maxConnections: 2 });
  const statements = Promise.allSettled([1, 2].map(() => database.read((sql) => sql.get('SELECT 1'), 0)));
  await sleep(100);
  await database.close();
  expect((await statements).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
}, 8_000);
