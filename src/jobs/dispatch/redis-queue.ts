import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { createShardQueue, type ShardQueue } from './bullmq-queue.js';

/** The queue on BullMQ in Redis. An outage and its end are reported once each; the store works without it meanwhile. */
export function redisQueue(address: string, onNote: (text: string) => void): ShardQueue {
  const { host } = new URL(address);
  // Commands fail at once while Redis is unreachable; blocking reads wait.
  const commands = new Redis(address, { maxRetriesPerRequest: 1, enableOfflineQueue: false, retryStrategy });
  const blocking = new Redis(address, { maxRetriesPerRequest: null, retryStrategy });
  let isUnreachable = false;
  const onFailure = (failure: unknown): void => {
    if (isUnreachable === (failure !== null)) return;
    isUnreachable = failure !== null;
    const reason = failure instanceof Error ? failure.message : String(failure);
    onNote(
      isUnreachable
        ? `The queue on ${host} cannot be reached (${reason}). Work continues by polling the database, slightly slower.`
        : `The queue on ${host} answers again.`,
    );
  };
  for (const connection of [commands, blocking]) connection.on('error', onFailure);
  return createShardQueue(commands, blocking, createRedisBackend, {
    // Redis may lose a longer wait when it reconnects.
    drainDelay: 5,
    onFailure,
    onEnd: async () => {
      commands.disconnect();
      blocking.disconnect();
    },
  });
}

function retryStrategy(times: number): number {
  return Math.min(times * 200, 2_000) * (0.5 + Math.random());
}
