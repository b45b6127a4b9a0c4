import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../jobs/store.js';
import { Failure } from '../model/failure.js';
import type { ValidationService } from '../model/service.js';
import type { JobService } from '../service/local-jobs.js';
import type { KeyRing } from './key-ring.js';
import type { Limits } from './limits.js';
import type { Metrics } from './metrics.js';
import type { Till } from './till.js';

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
export interface Hall {
  validation: Pick<ValidationService, 'validate' | 'validateMany'>;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** The uploads and jobs of one key, paid with its credits. */
  jobsOf(keyId: string): JobService;
  ring: KeyRing;
  till: Till;
  metrics: Metrics;
  limits: Limits;
  /** Where files lie while they come in. */
  incoming: string;
  calls: Calls;
  /** True while requests are taken. */
  isReady(): boolean;
}

/** The requests under way, to be ended when there is no more time for them. */
export interface Calls {
  /** Aborted when the caller goes away unanswered, or when the server must stop. */
  signalFor(reply: FastifyReply): AbortSignal;
  abortAll(): void;
}

/** Begins with none. */
export function openCalls(): Calls {
  const open = new Set<AbortController>();
  return {
    signalFor: ({ raw }) => {
      const controller = new AbortController();
      open.add(controller);
      raw.once('close', () => {
        open.delete(controller);
        if (!raw.writableFinished) controller.abort(new Failure('interrupted', 'The caller went away.'));
      });
      return controller.signal;
    },
    abortAll: () => {
      for (const controller of open) controller.abort(new Failure('interrupted', 'The server stops.'));
    },
  };
}

/** The key of a request that has passed the guard. */
export function callerOf({ caller }: FastifyRequest): KeyRecord {
  if (caller === null) throw new Failure('key_missing', 'This path needs a key.');
  return caller;
}
