import { runMigrations } from 'bullmq';
import { queueSchema } from './connections.js';
import type { Database } from './database.js';

/** Creates the tables of the queue, or migrates them to the version of this program. */
export async function migrateQueue(database: Database): Promise<void> {
  const client = await database.connect();
  try {
    await runMigrations(client, queueSchema);
  } finally {
    await client.end();
  }
}
