import { afterAll, beforeAll } from 'vitest';
import { storeSuite } from '../contract/store/store-suite.js';
import { type Postgres, startPostgres } from './postgres.js';
import { openPostgresLab } from './postgres-lab.js';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.close());

storeSuite('postgres', () => openPostgresLab(server));
