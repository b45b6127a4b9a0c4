import { afterAll, beforeAll } from 'vitest';
import { type Postgres, startPostgres } from './postgres.js';
import { type Redis, startRedis } from './redis.js';

/** The servers of the test file that imports this: they start before its tests, and end after them. */
export let server: Postgres;
export let redis: Redis;

beforeAll(async () => {
  [server, redis] = await Promise.all([startPostgres(), startRedis()]);
}, 120_000);
afterAll(() => {
  server?.close();
  redis?.close();
});
