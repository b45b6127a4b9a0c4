import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner, isMemberId, type SessionRecord } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { cookieIn, createSessions, createSetUp } from '../access/sessions.js';
import { crossSiteFault, registerRoutes } from '../routes/router.js';
import { adminCaller, memberCaller, type ServerContext } from '../server-context.js';
import { accountHandlers } from './account-routes.js';
import { keyHandlers } from './key-routes.js';
import { listHandlers } from './list-routes.js';
import { memberHandlers } from './member-routes.js';
import { readPages, registerPageRoutes } from './pages.js';
import { rowHandlers } from './row-routes.js';
import { currentSession } from './session-view.js';
import { createSignIn } from './sign-in.js';
import { statusHandlers } from './status-routes.js';
import { usageHandlers } from './usage-routes.js';
import type { WebContext, WebOptions } from './web-context.js';
import { webhookHandlers } from './webhook-routes.js';

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
      };
      const context: WebContext = { ...parts, signIn: createSignIn(parts) };
      registerPageRoutes(app, pages);
      registerRoutes(app, {
        ...accountHandlers(context),
        ...memberHandlers(context),
        ...webhookHandlers(context),
        ...keyHandlers(context),
        ...listHandlers(context),
        ...rowHandlers(context),
        ...usageHandlers(context),
        ...statusHandlers(context),
      });
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
