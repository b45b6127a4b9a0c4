/** Where BullMQ keeps its tables: a schema of their own, by the name that it looks for when it is handed a pool. */
export const queueSchema = 'bullmq';
