import type { FastifyRequest } from 'fastify';
import type { KeyRecord, KeyStore } from '../jobs/store/keys.js';
import { Failure } from '../model/failure.js';
import type { JobState } from '../model/job.js';
import type { ValidationService } from '../model/service.js';
import type { JobService } from '../service/local/jobs.js';
import type { Billing } from './access/credits.js';
import type { KeyCache } from './access/key-cache.js';
import type { Limits } from './access/limits.js';
import type { Connections } from './http/connections.js';
import type { Log } from './observe/log.js';
import type { Metrics } from './observe/metrics.js';
import type { UsageCounter } from './observe/usage.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null only on the paths that need none. */
    caller: KeyRecord | null;
  }
  interface FastifyContextConfig {
    /** Needs no key. */
    isOpen?: boolean;
    /** Told to a key that was good when the store could last be asked: it is how one hears that it cannot. */
    toldWithoutStore?: boolean;
    /** Part of the web application. */
    isWeb?: boolean;
    /** Takes the session of a browser: in place of a key where none came, or nothing else. */
    session?: 'too' | 'only';
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
  /** Lines about all who share the store; none where nobody does. */
  clusterMetrics(): Promise<string>;
  /** Who is signed in to the web application; a Failure for a request that another site made. Null: there is no web application. */
  findSession: ((request: FastifyRequest) => Promise<KeyRecord | null>) | null;
  /** Counts requests over all nodes; null where this one is alone. */
  takeRequests: KeyStore['takeRequests'];
  keys: KeyCache;
  billing: Billing;
  metrics: Metrics;
  usage: UsageCounter;
  log: Log;
  limits: Limits;
  /** Where files lie while they come in. */
  incoming: string;
  connections: Connections;
  /** True while requests are taken. */
  isReady(): boolean;
}

/** The key of a request that has passed the guard. */
export function callerOf({ caller }: FastifyRequest): KeyRecord {
  if (caller === null) throw new Failure('key_missing', 'This path needs a key.');
  return caller;
}
