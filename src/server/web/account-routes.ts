import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashPassword } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';
import type { OwnSession } from '../../wire/app-members.js';
import type { FoundSession } from '../access/sessions.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import { requireGoodPassword, secret } from './session-routes.js';
import { beginSession } from './session-view.js';
import type { WebContext } from './web-context.js';

const bodies = {
  password: {
    type: 'object',
    required: ['old_password', 'password'],
    properties: { old_password: secret, password: secret },
  },
  checkInvitation: { type: 'object', required: ['token'], properties: { token: secret } },
  acceptInvitation: {
    type: 'object',
    required: ['token', 'password'],
    properties: { token: secret, password: secret },
  },
} as const;

/** The Account page: password, invitation and sessions. */
export function registerAccountRoutes(app: FastifyInstance, context: WebContext): void {
  const { store, signIn, audit, web, sessions } = context;
  defineAppRoute(app, 'changePassword', {
    body: bodies.password,
    answer: async (request, reply) => {
      const { old_password, password } = request.body as { old_password: string; password: string };
      const { owner } = sessionOf(request);
      requireGoodPassword(password);
      if (owner === adminOwner && web.passwordSource !== undefined) throw passwordIsManaged(web.passwordSource);
      const account = await signIn.accountOf(owner);
      // Refused with 422: a 401 would end the session of the page.
      await signIn.checkPassword(request, account, old_password, oldPasswordRefused());
      if (password.normalize('NFKC') === old_password.normalize('NFKC')) throw samePassword();
      const passwordHash = await hashPassword(password, web.passwordCost);
      const currentHash = account.passwordHash ?? '';
      const isChanged =
        owner === adminOwner
          ? await store.changeAdminPassword(passwordHash, Date.now(), currentHash)
          : await store.changeMemberPassword(owner, passwordHash, currentHash);
      // If two changes are concurrent, the second no longer has the current password.
      if (!isChanged) throw oldPasswordRefused();
      await audit.record(request, { action: 'password_changed' });
      return beginSession(context, request, reply, owner);
    },
  });
  defineAppRoute(app, 'checkInvitation', {
    body: bodies.checkInvitation,
    answer: async (request) => {
      const { token } = request.body as { token: string };
      return signIn.throttledSecret(request, async () => {
        const member = await store.findInvitation(hashKey(token), Date.now());
        if (member === null) throw invitationInvalid();
        const { email, name, invitedUntil } = member;
        return { email, name, expires_at: new Date(invitedUntil ?? 0).toISOString() };
      });
    },
  });
  defineAppRoute(app, 'acceptInvitation', {
    body: bodies.acceptInvitation,
    answer: async (request, reply) => {
      const { token, password } = request.body as { token: string; password: string };
      requireGoodPassword(password);
      const member = await signIn.throttledSecret(request, async () => {
        // Looked up before the expensive hash.
        if ((await store.findInvitation(hashKey(token), Date.now())) === null) throw invitationInvalid();
        const passwordHash = await hashPassword(password, web.passwordCost);
        const accepted = await store.acceptInvitation(hashKey(token), passwordHash, Date.now());
        if (accepted === null) throw invitationInvalid();
        return accepted;
      });
      const view = await beginSession(context, request, reply, member.id);
      await audit.record(request, { action: 'invitation_accepted', subject: member.id, subjectName: member.name });
      return view;
    },
  });
  defineAppRoute(app, 'listSessions', {
    answer: async (request) => {
      const current = sessionOf(request);
      const found = await sessions.list(current.owner);
      return { sessions: found.map((session) => toOwnSession(session, current)) };
    },
  });
  defineAppRoute(app, 'endSession', {
    answer: async (request) => {
      const current = sessionOf(request);
      const found = await sessions.list(current.owner);
      const session = found.find(({ hash }) => publicIdOf(hash) === idOf(request));
      if (session === undefined) throw new Failure('not_found', 'There is no such session.', { hint: 'It has ended.' });
      await sessions.end(session.hash);
      await audit.record(request, { action: 'session_ended', subject: publicIdOf(session.hash) });
      return { ended: true };
    },
  });
}

/** The session of a request that has passed the guard. */
function sessionOf({ session }: FastifyRequest): FoundSession {
  if (session === null) throw new Failure('key_missing', 'You are not signed in.');
  return session;
}

function toOwnSession(session: FoundSession, current: FoundSession): OwnSession {
  const { hash, userAgent, address, createdAt, lastUsedAt } = session;
  return {
    id: publicIdOf(hash),
    user_agent: userAgent,
    address,
    created_at: new Date(createdAt).toISOString(),
    last_used_at: new Date(lastUsedAt).toISOString(),
    current: hash === current.hash,
  };
}

/** A part of the hash names a session among those of its owner; the id in the cookie stays secret. */
function publicIdOf(hash: string): string {
  return hash.slice(0, 16);
}

function invitationInvalid(): Failure {
  return new Failure('key_refused', 'This invitation is no longer valid.', {
    hint: 'It was used, replaced or has expired. Ask an administrator for a new one.',
  });
}

function oldPasswordRefused(): Failure {
  return new Failure('bad_input', 'The current password is wrong.', { hint: 'Nothing was changed. Try again.' });
}

function samePassword(): Failure {
  return new Failure('bad_input', 'The new password is the same as the current one.', {
    hint: 'Nothing was changed. Choose another one.',
  });
}

function passwordIsManaged(source: string): Failure {
  return new Failure('conflict', `The password is set from ${source} at each start.`, {
    hint: 'Change it there, then restart the server.',
  });
}
