import { runMigrations } from 'bullmq';
import type { Database } from './database.js';
import { queueSchema } from './schema.js';

/** Creates the tables of the queue, or migrates them to the version of this program. */
export async function migrateQueue(database: Database): Promise<void> {
  const client = await database.connect();
  try {
    await runMigrations(client, queueSchema);
  } finally {
    await client.end();
  }
}
