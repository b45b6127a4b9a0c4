import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { isMemberId } from '../../jobs/store/members.js';
import { adminOwner, type SessionRecord } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { cookieIn, createPasswordCheck, createSessions, createSetUp } from '../access/sessions.js';
import { createSignInThrottle } from '../access/sign-in-throttle.js';
import type { ServerContext } from '../server-context.js';
import { registerAccountRoutes } from './account-routes.js';
import { registerCheckRoutes } from './check-routes.js';
import { crossSiteFault } from './define-app-route.js';
import { registerJobRoutes } from './job-routes.js';
import { registerKeyRoutes } from './key-routes.js';
import { registerMemberRoutes } from './member-routes.js';
import { readPages, registerPageRoutes } from './pages.js';
import { registerRetentionRoutes } from './retention-routes.js';
import { registerRowRoutes } from './row-routes.js';
import { registerSessionRoutes } from './session-routes.js';
import { currentSession } from './session-view.js';
import { createSignIn } from './sign-in.js';
import { registerStatusRoutes } from './status-routes.js';
import { registerUsageRoutes } from './usage-routes.js';
import { adminCaller, memberCaller, type WebContext, type WebOptions } from './web-context.js';
import { registerWebhookRoutes } from './webhook-routes.js';

/** The web application: its pages and their API. */
export type Web = Awaited<ReturnType<typeof openWeb>>;

const expireIntervalMs = 60 * 60_000;

export async function openWeb(
  options: WebOptions,
  { store, edge, audit }: Pick<WebContext, 'store' | 'edge' | 'audit'>,
  onError: (error: unknown) => void,
) {
  const pages = readPages(options.folder);
  const sessions = createSessions(store);
  const setUp = createSetUp(store, options.passwordCost);
  const ownerOfSession = ({ owner }: SessionRecord): Promise<KeyRecord | null> => validOwner(store, owner);
  const expire = (): void => {
    sessions.expire().catch(onError);
    audit.prune().catch(onError);
  };
  expire();
  const timer = setInterval(expire, expireIntervalMs).unref();
  return {
    /** Authenticates a request by its browser session, otherwise null. */
    findSession: (request: FastifyRequest) => findSession({ sessions, ownerOfSession, edge, store }, request),
    register: async (app: FastifyInstance, base: ServerContext) => {
      const parts = {
        ...base,
        store,
        sessions,
        setUp,
        ownerOfSession,
        web: options,
        startedAt: Date.now(),
        passwords: createPasswordCheck(),
        throttle: createSignInThrottle(),
      };
      const context: WebContext = { ...parts, signIn: createSignIn(parts) };
      registerPageRoutes(app, pages);
      registerSessionRoutes(app, context);
      registerAccountRoutes(app, context);
      registerMemberRoutes(app, context);
      registerWebhookRoutes(app, context);
      registerKeyRoutes(app, context);
      registerCheckRoutes(app, context);
      registerJobRoutes(app, context);
      registerRetentionRoutes(app, context);
      registerRowRoutes(app, context);
      registerUsageRoutes(app, context);
      registerStatusRoutes(app, context);
    },
    /** The secret of the link that sets the first password; null once it is set. */
    setUpToken: () => setUp.token(),
    /** False without built pages. */
    hasPages: pages !== null,
    close: () => clearInterval(timer),
  };
}

async function findSession(
  { sessions, ownerOfSession, edge, store }: Pick<WebContext, 'sessions' | 'ownerOfSession' | 'edge' | 'store'>,
  request: FastifyRequest,
): Promise<KeyRecord | null> {
  const { raw } = request;
  if (cookieIn(raw, 'session', edge.isEncrypted(raw)) === null && edge.proxyUser(raw) === null) return null;
  const fault = edge.hostFault(raw) ?? crossSiteFault(raw, edge);
  if (fault !== null) throw fault;
  const session = await currentSession({ sessions, edge, store }, request);
  if (session === null) return null;
  request.session = session;
  return ownerOfSession(session);
}

/** A removed member, and a revoked or expired key, end the session. */
async function validOwner(store: JobStore, owner: string): Promise<KeyRecord | null> {
  if (owner === adminOwner) return adminCaller;
  if (isMemberId(owner)) {
    const member = await store.getMember(owner);
    return member === null ? null : memberCaller(member);
  }
  const key = await store.getKey(owner);
  return key === null || key.revokedAt !== null || (key.expiresAt ?? Infinity) <= Date.now() ? null : key;
}
