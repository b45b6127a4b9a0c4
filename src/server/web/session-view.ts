import type { FastifyReply, FastifyRequest } from 'fastify';
import { foldEmail } from '../../jobs/members.js';
import { adminOwner, isMemberId } from '../../jobs/store/sessions.js';
import type { SessionView, SignedInUser } from '../../wire/app.js';
import { networkOf } from '../access/edge.js';
import { cookieIn, cookieOf, expiryOf, type FoundSession, sessionLife } from '../access/sessions.js';
import { makeDeviceToken } from '../access/sign-in-throttle.js';
import { callerOf, isAdmin } from '../server-context.js';
import { signInRefused } from './sign-in.js';
import { serverFacts, type WebContext } from './web-context.js';

/** How long the server recognizes a browser that has signed in. */
const deviceLifeSeconds = 180 * 24 * 60 * 60;

/** Signs in under a new id, whatever id the browser sent; `checkedHash` is the password that was checked for it. */
export async function beginSession(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  checkedHash?: string | null,
): Promise<SessionView> {
  const { sessions, edge, signIn, store } = context;
  const current = await currentSession(context, request);
  if (current !== null) await sessions.end(current.hash);
  const address = networkOf(edge.clientAddress(request.raw));
  const id = await sessions.begin(owner, request.headers['user-agent'] ?? '', address);
  const isEncrypted = edge.isEncrypted(request.raw);
  const cookies = [cookieOf('session', id, sessionLife.maxAgeMs / 1000, isEncrypted)];
  if (hasPassword(owner)) {
    const { throttleName, passwordHash } = await signIn.accountOf(owner);
    // A change of the password ends all earlier sessions; one that began meanwhile ends here.
    if (checkedHash !== undefined && checkedHash !== passwordHash) {
      await sessions.endById(id);
      throw signInRefused('The password was changed meanwhile.');
    }
    const token = makeDeviceToken(throttleName, passwordHash ?? '');
    cookies.push(cookieOf('device', token, deviceLifeSeconds, isEncrypted));
  }
  if (isMemberId(owner)) await store.recordSignIn(owner, Date.now());
  reply.header('set-cookie', cookies);
  return viewOf(context, request, await sessions.find(id));
}

/** The session of the cookie, or of the member that a trusted proxy names. */
export async function currentSession(
  { sessions, edge, store }: Pick<WebContext, 'sessions' | 'edge' | 'store'>,
  { raw }: FastifyRequest,
): Promise<FoundSession | null> {
  const user = edge.proxyUser(raw);
  if (user !== null) {
    const member = await store.findMember(foldEmail(user));
    const now = Date.now();
    const session = { userAgent: '', address: '', createdAt: now, lastUsedAt: now, hash: '' };
    return member === null ? null : { ...session, owner: member.id };
  }
  const id = cookieIn(raw, 'session', edge.isEncrypted(raw));
  return id === null ? null : sessions.find(id);
}

/** What the pages know about a browser. Sets the caller of the request. */
export async function viewOf(
  context: WebContext,
  request: FastifyRequest,
  session: FoundSession | null,
): Promise<SessionView> {
  const caller = session === null ? null : await context.ownerOfSession(session);
  if (session === null || caller === null) return signedOut(context, request);
  request.session = session;
  request.caller = caller;
  const server = await serverFacts(context);
  return {
    state: 'signed_in',
    who: await whoOf(context, request, session),
    expires_at: new Date(expiryOf(session)).toISOString(),
    by_proxy: context.edge.proxyUser(request.raw) !== null,
    server: isMemberId(session.owner) ? { ...server, password_source: null } : server,
  };
}

async function whoOf({ store }: WebContext, request: FastifyRequest, { owner }: FoundSession): Promise<SignedInUser> {
  const { id, name, prefix, plan, credits } = callerOf(request);
  if (!isMemberId(owner)) {
    return owner === adminOwner ? { kind: 'admin', name } : { kind: 'key', id, name, prefix, plan, credits };
  }
  const email = (await store.getMember(owner))?.email ?? '';
  return isAdmin(request) ? { kind: 'admin', name, email } : { kind: 'member', id, name, email };
}

export async function signedOut({ setUp, store, edge }: WebContext, { raw }: FastifyRequest): Promise<SessionView> {
  const state = (await setUp.token()) === null ? 'signed_out' : 'setup';
  return { state, has_members: await store.hasMembers(), proxy_user: edge.proxyUser(raw) };
}

/** True for the administrator and members, false for keys. */
function hasPassword(owner: string): boolean {
  return owner === adminOwner || isMemberId(owner);
}
