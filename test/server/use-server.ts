import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openServer, type TestServer, type TestServerOptions } from './run-server.js';

/** One server for all tests of a file or a group. */
export function useServer(options?: TestServerOptions): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => void Object.assign(server, await openServer(options)));
  afterAll(() => server.stop());
  return server;
}

/** A server that stops at the end of the test. */
export async function startForTest(options?: TestServerOptions): Promise<TestServer> {
  const server = await openServer(options);
  onTestFinished(() => server.stop());
  return server;
}
