import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../async/caller.js';
import type { QueueCounts } from '../jobs/queue/queue.js';
import { Failure } from '../model/failure.js';
import { Networks } from '../net/ip-range.js';
import type { LocalJobs, OwnerRules } from '../service/local/jobs.js';
import type { Validation } from '../service/local/validation.js';
import { apiPrefix, keyHeader } from '../wire/api.js';
import { setUpLink } from '../wire/app.js';
import { pathOf, routes } from '../wire/routes.js';
import { createAdmission } from './access/admission.js';
import { createChargedMailboxes } from './access/charged-mailboxes.js';
import { openBilling } from './access/credits.js';
import { createEdge, type EdgeOptions } from './access/edge.js';
import { type KeyCache, openKeyCache } from './access/key-cache.js';
import { defaultLimits, type Limits } from './access/limits.js';
import { buildApp } from './app.js';
import { openConnections } from './http/connections.js';
import { createHttpServer, type TlsFiles } from './http/http-server.js';
import { checkIncoming, openIncoming } from './http/receive-file.js';
import { openAudit } from './observe/audit.js';
import { type LogOptions, openLog } from './observe/log.js';
import { createClusterMetrics, createMetrics, renderHosts } from './observe/metrics.js';
import { createReadinessCheck } from './observe/readiness.js';
import { countVerdicts, openUsage } from './observe/usage.js';
import type { ServerContext } from './server-context.js';
import { jobsFor } from './web/job-access.js';
import { openWeb, type Web } from './web/web.js';
import type { WebOptions } from './web/web-context.js';
import { openWebhooks } from './webhooks/webhook-queue.js';

export interface ServerOptions {
  host: string;
  /** False: workers elsewhere run the jobs. */
  runsJobs?: boolean;
  /** 0: any free port. */
  port: number;
  tls: TlsFiles | null;
  validation: Pick<Validation, 'validate' | 'validateMany'>;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  jobs: Pick<LocalJobs, 'forOwner' | 'workAll' | 'store' | 'expireUploads'>;
  /** Response time of the job queue, null if it does not respond; null without a queue. */
  queueCounts?: (() => Promise<QueueCounts | null>) | null;
  /** Called once with the function that takes internal exceptions outside of requests. */
  reportExceptions?(report: (error: unknown) => void): void;
  /** Null below level smtp. */
  proberStats?(): Promise<{ hosts: Readonly<Record<string, number>> } | null>;
  /** A folder on the same disk as the store, for incoming files. */
  incoming: string;
  limits: Partial<Limits>;
  /** How long requests are accepted after `stop`, while `/readyz` fails. */
  drainMs?: number;
  log: LogOptions;
  /** Null: the API without pages. */
  web: WebOptions | null;
  edge?: EdgeOptions;
  /** Networks with private addresses that webhooks may be sent to. */
  webhookNetworks?: readonly string[];
}

/**
 * Releases what a killed server had reserved, resumes its jobs, and listens. `url` has the version prefix. `stop`
 * finishes open requests and returns unfinished jobs to the store.
 */
export async function startServer(options: ServerOptions) {
  const limits = { ...defaultLimits, ...options.limits };
  const edge = createEdge(options.edge);
  const store = await options.jobs.store();
  await store.refundAbandoned();
  await openIncoming(options.incoming);
  const log = openLog(options.log);
  let isReady = false;
  let isDraining = false;
  const keys = openKeyCache(store, log.error);
  const billing = openBilling(store, log.error);
  const usage = openUsage(store, log.error);
  const audit = openAudit(store, edge, log.error);
  const webhooks = openWebhooks(store, options.webhookNetworks ?? [], log.error);
  const web = options.web === null ? null : await openWeb(options.web, { store, edge, audit }, log.error);
  const context: ServerContext = {
    validation: options.validation,
    canonical: options.canonical,
    incoming: options.incoming,
    keys,
    billing,
    limits,
    log,
    edge,
    audit,
    usage,
    webhooks,
    webhookNetworks: new Networks(options.webhookNetworks ?? []),
    metrics: createMetrics(),
    connections: openConnections(limits),
    charged: createChargedMailboxes(),
    findSession: web === null ? null : web.findSession,
    jobsOf: (owner, checkEmail) => {
      const rules = { ...ownerRules(limits), ...(checkEmail && { checkEmail }) };
      return jobsFor(owner, { jobs: options.jobs, store, rules });
    },
    countJobs: () => store.countJobs(),
    clusterMetrics: createClusterMetrics(store.clusterStats, options.queueCounts),
    hostMetrics: async () => renderHosts((await options.proberStats?.())?.hosts ?? {}),
    isReady: () => isReady,
    isDraining: () => isDraining,
  };
  options.reportExceptions?.((error) => {
    context.metrics.countException();
    log.error(error);
  });
  const app = await buildApp({
    context,
    web,
    makeServer: (handle) => {
      const admit = createAdmission({ handle, callerFor: (request) => callerOfRequest(request, keys) });
      return createHttpServer(limits, options.tls, context.connections, (request, response) => {
        // The next request of this client goes to another server.
        if (isDraining) response.shouldKeepAlive = false;
        admit(request, response);
      });
    },
    checkStore: createReadinessCheck({
      check: async () => {
        await store.checkWritable();
        await checkIncoming(options.incoming);
      },
    }),
  });
  const workSignal = new AbortController();
  let working: Promise<void> = Promise.resolve();
  const expiryTimer = setInterval(() => void options.jobs.expireUploads().catch(log.error), expireIntervalMs).unref();
  const close = async (): Promise<void> => {
    clearInterval(expiryTimer);
    workSignal.abort();
    await app.close();
    await working;
    web?.close();
    await webhooks.close();
    await billing.close();
    await usage.close();
    await keys.close();
    log.flush();
  };
  try {
    await listen(app, options);
    if (options.runsJobs !== false)
      working = options.jobs.workAll(workSignal.signal, log.error, countVerdicts(usage)).catch(log.error);
    isReady = true;
    const validKeys = await countValidKeys(store);
    const url = urlOf(app, options);
    log.info('Ready for requests');
    const pages = web === null ? null : await pagesOf(web, edge.publicUrl ?? new URL(url).origin);
    const stop = async (): Promise<void> => {
      workSignal.abort();
      isDraining = true;
      await sleep(options.drainMs ?? 0);
      isReady = false;
      await finishRequests(context);
      await Promise.race([close(), sleep(closeMs, undefined, { ref: false })]);
    };
    return { url, validKeys, pages, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A wildcard address cannot be opened in a browser. */
async function pagesOf(web: Web, origin: string) {
  const url = origin.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
  const token = await web.setUpToken();
  return { url: `${url}/`, setUpUrl: token === null ? null : setUpLink(url, token), areBuilt: web.hasPages };
}

function ownerRules({ rows, fileBytes, unconfirmedUploads, unconfirmedBytes }: Limits): OwnerRules {
  const maxUnconfirmed = { uploads: unconfirmedUploads, bytes: unconfirmedBytes };
  return { charge: true, maxRows: rows, maxBytes: fileBytes, maxUnconfirmed };
}

const singlePath = pathOf(routes.validateOne);

/** The caller of a request: the owner of a known key, otherwise its IP address, so that unknown keys of one address share a queue. */
function callerOfRequest({ headers, socket, url = '' }: IncomingMessage, keys: KeyCache): Caller {
  const priority = url.startsWith(singlePath) ? 'single' : 'bulk';
  const key = headers[keyHeader];
  const owner = typeof key === 'string' ? keys.lastKnown(key, socket)?.id : undefined;
  return { priority, owner: owner ?? `from ${socket.remoteAddress}`, taskId: '' };
}

async function countValidKeys(store: Awaited<ReturnType<LocalJobs['store']>>): Promise<number> {
  const now = Date.now();
  const keys = await store.listKeys();
  return keys.filter(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt ?? Infinity) > now).length;
}

/** Unconfirmed uploads are removed within an hour after their day. */
const expireIntervalMs = 10 * 60_000;

/** Work that is still open after this time is abandoned, which loses no data. */
const closeMs = 8_000;

async function finishRequests(context: ServerContext): Promise<void> {
  await waitUntilIdle(context, context.limits.drainMs);
  context.connections.abortAll();
  // These requests are answered with `unavailable`.
  await waitUntilIdle(context, 1_000);
}

async function waitUntilIdle({ connections }: ServerContext, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (connections.underWay() > 0 && performance.now() < deadline) await sleep(20);
}

async function listen(app: FastifyInstance, { host, port }: ServerOptions): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      EADDRINUSE: 'another program listens there already',
      EACCES: 'this user lacks the permission',
      EADDRNOTAVAIL: 'this machine has no such address',
      ENOTFOUND: 'there is no such host name',
    };
    const reason = reasons[code ?? ''];
    if (reason === undefined) throw error;
    throw new Failure('usage', `Cannot listen on ${host}, port ${port}: ${reason}.`, {
      hint: 'Choose others with --host and --port; --port 0 takes any free port.',
      cause: error,
    });
  }
}

function urlOf(app: FastifyInstance, { tls }: ServerOptions): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${tls === null ? 'http' : 'https'}://${host}:${port}${apiPrefix}`;
}
