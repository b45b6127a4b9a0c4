import { setMaxListeners } from 'node:events';
import type { FastifyRequest } from 'fastify';
import type { KeyRecord } from '../jobs/store/store.js';
import { Failure } from '../model/failure.js';
import type { JobState } from '../model/job.js';
import type { ValidationService } from '../model/service.js';
import type { JobService } from '../service/local/jobs.js';
import type { Billing } from './access/credits.js';
import type { KeyCache } from './access/key-cache.js';
import type { Limits } from './access/limits.js';
import type { Log } from './observe/log.js';
import type { Metrics } from './observe/metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null only on the paths that need none. */
    caller: KeyRecord | null;
  }
  interface FastifyContextConfig {
    /** Needs no key. */
    isOpen?: boolean;
  }
}

/** What all handlers work with. */
export interface ServerContext {
  validation: Pick<ValidationService, 'validate' | 'validateMany'>;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** The uploads and jobs of one key, paid with its credits. */
  jobsOf(keyId: string): JobService;
  /** Of all keys together. */
  countJobs(): Promise<Record<JobState, number>>;
  keys: KeyCache;
  billing: Billing;
  metrics: Metrics;
  log: Log;
  limits: Limits;
  /** Where files lie while they come in. */
  incoming: string;
  calls: Calls;
  /** True while requests are taken. */
  isReady(): boolean;
}

/** The connections that have asked for something that takes time. */
export interface Calls {
  /** Aborted when the caller goes away, or when the server must stop. Shared by all requests of a connection, since making one for each is dear. */
  signalFor(request: FastifyRequest): AbortSignal;
  abortAll(): void;
}

/** Begins with none. */
export function openCalls(): Calls {
  const open = new Map<FastifyRequest['socket'], AbortController>();
  return {
    signalFor: ({ socket }) => {
      const known = open.get(socket);
      if (known !== undefined) return known.signal;
      const controller = new AbortController();
      // Bulk validation waits for a thousand addresses with the same signal.
      setMaxListeners(0, controller.signal);
      open.set(socket, controller);
      const end = (): void => {
        open.delete(socket);
        controller.abort(new Failure('interrupted', 'The caller went away.'));
      };
      if (socket.destroyed) end();
      else socket.once('close', end);
      return controller.signal;
    },
    abortAll: () => {
      for (const controller of open.values()) controller.abort(new Failure('interrupted', 'The server stops.'));
    },
  };
}

/** The key of a request that has passed the guard. */
export function callerOf({ caller }: FastifyRequest): KeyRecord {
  if (caller === null) throw new Failure('key_missing', 'This path needs a key.');
  return caller;
}
