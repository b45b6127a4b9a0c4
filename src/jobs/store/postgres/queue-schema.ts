/** The schema of BullMQ's tables, by the name that it expects. */
export const queueSchema = 'bullmq';
