import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashPassword, passwordFault } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';
import type { SessionView, Who } from '../../wire/app-server.js';
import { networkOf } from '../access/edge.js';
import { callerOf } from '../server-context.js';
import { defineAppRoute } from './define-app-route.js';
import { cookieIn, cookieOf, expiryOf, type FoundSession, sessionLife } from './sessions.js';
import { countersFor, deviceIn, makeDeviceToken } from './sign-in-throttle.js';
import { serverFacts, type WebContext } from './web-context.js';

const secret = { type: 'string', maxLength: 4_000 } as const;
const bodies = {
  setUp: { type: 'object', required: ['token', 'password'], properties: { token: secret, password: secret } },
  signIn: { type: 'object', properties: { password: secret, api_key: secret } },
  signOut: { type: ['object', 'null'], properties: { everywhere: { type: 'boolean' } } },
  password: {
    type: 'object',
    required: ['old_password', 'password'],
    properties: { old_password: secret, password: secret },
  },
} as const;

/** How long a browser is known to have signed in. */
const deviceLifeSeconds = 180 * 24 * 60 * 60;

/** Sign-in, sign-out, and setting the password. */
export function registerSessionRoutes(app: FastifyInstance, context: WebContext): void {
  const { sessions, store, setUp, throttle, passwords, edge } = context;

  defineAppRoute(app, 'session', {
    to: 'anybody',
    answer: async (request) => viewOf(context, request, await currentSession(context, request)),
  });
  defineAppRoute(app, 'setUp', {
    to: 'anybody',
    body: bodies.setUp,
    answer: async (request, reply) => {
      const { token, password } = request.body as { token: string; password: string };
      checkPassword(password);
      await throttled(request, null, () => setUp.complete(token, password));
      return beginSession(context, request, reply, adminOwner);
    },
  });
  defineAppRoute(app, 'signIn', {
    to: 'anybody',
    body: bodies.signIn,
    answer: async (request, reply) => {
      const credentials = request.body as { password?: string; api_key?: string };
      const { api_key: key } = credentials;
      const owner =
        key === undefined
          ? await checkAdminPassword(request, credentials.password ?? '')
          : await throttled(request, null, () => signInWithKey(key));
      return beginSession(context, request, reply, owner);
    },
  });
  /** Counts an attempt to sign in; one that throws has failed. */
  const throttled = async <Done>(
    { raw }: FastifyRequest,
    passwordHash: string | null,
    attempt: () => Promise<Done>,
  ): Promise<Done> => {
    const token = cookieIn(raw, 'device', edge.isEncrypted(raw));
    const device = passwordHash === null ? null : deviceIn(token, adminOwner, passwordHash);
    const account = passwordHash === null ? '' : adminOwner;
    const counters = countersFor({ network: networkOf(edge.clientAddress(raw)), account, device });
    throttle.begin(counters);
    const done = await attempt();
    throttle.recordSuccess(counters);
    return done;
  };
  const checkAdminPassword = async (
    request: FastifyRequest,
    password: string,
    refusal = signInRefused('The password is wrong.'),
  ): Promise<string> => {
    const passwordHash = await store.adminPasswordHash();
    return throttled(request, passwordHash, async () => {
      if (passwordHash === null || !(await passwords.isCorrect(password, passwordHash))) throw refusal;
      return adminOwner;
    });
  };
  const signInWithKey = async (key: string): Promise<string> => {
    // Not from the key cache: a revoked key must not sign in.
    const record = await store.findKey(hashKey(key.trim()), Date.now());
    if (record === null) throw signInRefused('The key is not known, was revoked or has expired.');
    return record.id;
  };
  defineAppRoute(app, 'signOut', {
    to: 'anybody',
    body: bodies.signOut,
    answer: async (request, reply) => {
      const session = await currentSession(context, request);
      const { everywhere } = (request.body ?? {}) as { everywhere?: boolean };
      if (session !== null && everywhere === true) await sessions.endAll(session.owner);
      else if (session !== null) await sessions.end(session.hash);
      reply.header('set-cookie', cookieOf('session', '', 0, edge.isEncrypted(request.raw)));
      return signedOut(context);
    },
  });
  defineAppRoute(app, 'changePassword', {
    to: 'admin',
    body: bodies.password,
    answer: async (request, reply) => {
      const { old_password, password } = request.body as { old_password: string; password: string };
      checkPassword(password);
      if (context.web.passwordSource !== undefined) throw passwordFromOutside(context.web.passwordSource);
      // Not 401, which would end the session of the page.
      await checkAdminPassword(request, old_password, oldPasswordRefused());
      await store.setAdminPassword(await hashPassword(password, context.web.passwordCost), Date.now(), false);
      return beginSession(context, request, reply, adminOwner);
    },
  });
}

/** Signs in under a new id, whatever id the browser sent. */
async function beginSession(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
): Promise<SessionView> {
  const { sessions, store, edge } = context;
  const current = await currentSession(context, request);
  if (current !== null) await sessions.end(current.hash);
  const id = await sessions.begin(owner, request.headers['user-agent'] ?? '');
  const isEncrypted = edge.isEncrypted(request.raw);
  const cookies = [cookieOf('session', id, sessionLife.maxAgeMs / 1000, isEncrypted)];
  const passwordHash = owner === adminOwner ? await store.adminPasswordHash() : null;
  if (passwordHash !== null) {
    const token = makeDeviceToken(owner, passwordHash);
    cookies.push(cookieOf('device', token, deviceLifeSeconds, isEncrypted));
  }
  reply.header('set-cookie', cookies);
  return viewOf(context, request, await sessions.find(id));
}

async function currentSession({ sessions, edge }: WebContext, { raw }: FastifyRequest) {
  const id = cookieIn(raw, 'session', edge.isEncrypted(raw));
  return id === null ? null : sessions.find(id);
}

async function viewOf(
  context: WebContext,
  request: FastifyRequest,
  session: FoundSession | null,
): Promise<SessionView> {
  const caller = session === null ? null : await context.ownerOfSession(session);
  if (session === null || caller === null) return signedOut(context);
  request.session = session;
  request.caller = caller;
  return signedIn(context, request);
}

function signedIn(context: WebContext, request: FastifyRequest): SessionView {
  const { id, name, prefix, plan, credits } = callerOf(request);
  const who: Who = id === adminOwner ? { kind: 'admin', name } : { kind: 'key', id, name, prefix, plan, credits };
  const expiresAt = request.session === null ? 0 : expiryOf(request.session);
  return { state: 'signed_in', who, expires_at: new Date(expiresAt).toISOString(), server: serverFacts(context) };
}

async function signedOut({ setUp }: WebContext): Promise<SessionView> {
  return { state: (await setUp.token()) === null ? 'signed_out' : 'setup' };
}

function signInRefused(message: string): Failure {
  return new Failure('key_refused', message, { hint: 'Check the spelling, then try again.' });
}

function oldPasswordRefused(): Failure {
  return new Failure('bad_input', 'The current password is wrong.', { hint: 'Nothing was changed. Try again.' });
}

function passwordFromOutside(source: string): Failure {
  return new Failure('conflict', `The password is set from ${source} at each start.`, {
    hint: 'Change it there, then restart the server.',
  });
}

function checkPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault !== null) throw fault;
}
