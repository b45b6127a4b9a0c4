import type { Database } from './database.js';

/** Where BullMQ keeps its tables: a schema of their own, by the name that it looks for when it is handed a pool. */
export const queueSchema = 'bullmq';

/** Makes the tables of the queue, or brings them to the version of this program. */
export async function migrateQueue(database: Database): Promise<void> {
  const { runMigrations } = await import('bullmq');
  const client = await database.connect();
  try {
    await runMigrations(client, queueSchema);
  } finally {
    await client.end();
  }
}
