import type { FastifyInstance } from 'fastify';
import { passwordFault } from '../../jobs/admin-password.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { cookieOf } from '../access/sessions.js';
import { defineAppRoute } from './define-app-route.js';
import { beginSession, currentSession, signedOut, viewOf } from './session-view.js';
import { signInRefused } from './sign-in.js';
import type { WebContext } from './web-context.js';

/** A password, a key or a token. */
export const secret = { type: 'string', maxLength: 4_000 } as const;
const bodies = {
  setUp: { type: 'object', required: ['token', 'password'], properties: { token: secret, password: secret } },
  signIn: {
    type: 'object',
    properties: { email: { type: 'string', maxLength: 320 }, password: secret, api_key: secret },
  },
  signOut: { type: ['object', 'null'], properties: { everywhere: { type: 'boolean' } } },
} as const;

/** Sign-in and sign-out. */
export function registerSessionRoutes(app: FastifyInstance, context: WebContext): void {
  const { sessions, setUp, signIn, edge, audit } = context;

  defineAppRoute(app, 'session', {
    answer: async (request) => viewOf(context, request, await currentSession(context, request)),
  });
  defineAppRoute(app, 'setUp', {
    body: bodies.setUp,
    answer: async (request, reply) => {
      const { token, password } = request.body as { token: string; password: string };
      requireGoodPassword(password);
      await signIn.throttledSecret(request, () => setUp.complete(token, password));
      const view = await beginSession(context, request, reply, adminOwner);
      await audit.record(request, { action: 'password_set' });
      return view;
    },
  });
  defineAppRoute(app, 'signIn', {
    body: bodies.signIn,
    answer: async (request, reply) => {
      const { email, password = '', api_key: key } = request.body as SignInBody;
      let owner: string;
      let checkedHash: string | null | undefined;
      if (key === undefined) {
        const account = await signIn.findAccount(email);
        const wrong = email === undefined ? 'The password is wrong.' : 'The email address or the password is wrong.';
        await signIn.checkPassword(request, account, password, signInRefused(wrong));
        owner = account.owner;
        checkedHash = account.passwordHash;
      } else owner = await signIn.checkKey(request, key);
      const view = await beginSession(context, request, reply, owner, checkedHash);
      await audit.record(request, { action: 'signed_in' });
      return view;
    },
  });
  defineAppRoute(app, 'signOut', {
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
}

interface SignInBody {
  email?: string;
  password?: string;
  api_key?: string;
}

/** Throws `bad_input` for a password that is too short or too long. */
export function requireGoodPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault !== null) throw fault;
}
