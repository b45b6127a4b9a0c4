import type { FastifyRequest } from 'fastify';
import type { KeyRecord } from '../jobs/store/keys.js';
import type { MemberRecord } from '../jobs/store/members.js';
import { adminOwner, isMemberId } from '../jobs/store/sessions.js';
import { Failure } from '../model/failure.js';
import type { JobState } from '../model/job.js';
import type { Networks } from '../net/ip-range.js';
import type { JobService } from '../service/local/jobs.js';
import type { Validation } from '../service/local/validation.js';
import type { ChargedMailboxes } from './access/charged-mailboxes.js';
import type { Billing } from './access/credits.js';
import type { Edge } from './access/edge.js';
import type { KeyCache } from './access/key-cache.js';
import type { Limits } from './access/limits.js';
import type { FoundSession } from './access/sessions.js';
import type { Connections } from './http/connections.js';
import type { Audit } from './observe/audit.js';
import type { Log } from './observe/log.js';
import type { Metrics } from './observe/metrics.js';
import type { UsageCounter } from './observe/usage.js';
import type { Webhooks } from './webhooks/webhook-queue.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of the request; null only on paths that need none. */
    caller: KeyRecord | null;
    /** The browser session, for a request without a key. */
    session: FoundSession | null;
  }
  interface FastifyContextConfig {
    isOpen?: boolean;
    /** Also accepts a key that was valid when the store last responded, so that an outage can be observed. */
    worksWithoutStore?: boolean;
    isWeb?: boolean;
    /** Accepts a browser session: instead of a missing key, or only a session. */
    session?: 'too' | 'only';
  }
}

export interface ServerContext {
  validation: Pick<Validation, 'validate' | 'validateMany'>;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** The uploads and jobs of one key, charged to it. `checkEmail` throws for an address that it may not ask for. */
  jobsOf(keyId: string, checkEmail?: (email: string) => void): JobService;
  countJobs(): Promise<Record<JobState, number>>;
  /** Prometheus lines about all nodes of the store. */
  clusterMetrics(): Promise<string>;
  /** Prometheus lines about the mail hosts that this process probes itself. */
  hostMetrics(): Promise<string>;
  /** Authenticates by a browser session; throws for a cross-site request. Null without web pages. */
  findSession: ((request: FastifyRequest) => Promise<KeyRecord | null>) | null;
  keys: KeyCache;
  billing: Billing;
  charged: ChargedMailboxes;
  metrics: Metrics;
  usage: UsageCounter;
  log: Log;
  edge: Edge;
  audit: Audit;
  webhooks: Webhooks;
  /** Networks with private addresses that webhooks may be sent to. */
  webhookNetworks: Networks;
  limits: Limits;
  incoming: string;
  connections: Connections;
  /** True while requests are accepted. */
  isReady(): boolean;
  /** True while the server drains: health checks fail, requests are still accepted. */
  isDraining(): boolean;
}

/** The key of a request that has passed the guard. */
export function callerOf({ caller }: FastifyRequest): KeyRecord {
  if (caller === null) throw new Failure('key_missing', 'This path needs a key.');
  return caller;
}

/** The administrator as a caller: without limit and not charged. */
export const adminCaller: KeyRecord = {
  id: adminOwner,
  name: 'Admin',
  prefix: '',
  plan: 'self-hosted',
  credits: null,
  granted: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};

/** A member as a caller: not charged, and limited to own jobs. Administrators act as one. */
export function memberCaller({ id, name, role, createdAt }: MemberRecord): KeyRecord {
  return role === 'administrator' ? { ...adminCaller, name } : { ...adminCaller, id, name, createdAt };
}

export function isAdmin(request: FastifyRequest): boolean {
  return callerOf(request).id === adminOwner;
}

/** True for a browser that signed in with a key. */
export function isKey(request: FastifyRequest): boolean {
  return !isAdmin(request) && !isMemberId(callerOf(request).id);
}

/** The owner whose jobs the caller sees; null for all. */
export function visibleOwner(request: FastifyRequest): string | null {
  return isAdmin(request) ? null : callerOf(request).id;
}
