import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashPassword, passwordFault } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import type { MemberRecord } from '../../jobs/store/members.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';
import type { OwnSession } from '../../wire/app.js';
import { cookieOf, type FoundSession } from '../access/sessions.js';
import type { Handlers } from '../routes/router.js';
import { beginSession, currentSession, signedOut, viewOf } from './session-view.js';
import { signInRefused } from './sign-in.js';
import type { WebContext } from './web-context.js';

/** Sign-in and sign-out, invitations, and the Account page. */
export function accountHandlers(context: WebContext) {
  const { store, sessions, setUp, signIn, edge, audit, web } = context;
  const begin = async (request: FastifyRequest, reply: FastifyReply, owner: string, action: string, member = {}) => {
    const view = await beginSession(context, request, reply, owner);
    await audit.record(request, { action, ...member });
    return view;
  };
  const invitedMember = async (token: string): Promise<MemberRecord> => {
    const member = await store.findInvitation(hashKey(token), Date.now());
    if (member === null) throw invitationInvalid();
    return member;
  };
  return {
    session: async ({ request }) => viewOf(context, request, await currentSession(context, request)),
    setUp: async ({ request, reply, body: { token, password } }) => {
      requireGoodPassword(password);
      await signIn.throttledSecret(request, () => setUp.complete(token, password));
      return begin(request, reply, adminOwner, 'password_set');
    },
    signIn: async ({ request, reply, body: { email, password = '', api_key: key } }) => {
      if (key !== undefined) return begin(request, reply, await signIn.checkKey(request, key), 'signed_in');
      const account = await signIn.findAccount(email);
      const wrong = email === undefined ? 'The password is wrong.' : 'The email address or the password is wrong.';
      await signIn.checkPassword(request, account, password, signInRefused(wrong));
      const view = await beginSession(context, request, reply, account.owner, account.passwordHash);
      await audit.record(request, { action: 'signed_in' });
      return view;
    },
    signOut: async ({ request, reply, body }) => {
      const session = await currentSession(context, request);
      if (session !== null && body?.everywhere === true) await sessions.endAll(session.owner);
      else if (session !== null) await sessions.end(session.hash);
      reply.header('set-cookie', cookieOf('session', '', 0, edge.isEncrypted(request.raw)));
      return signedOut(context, request);
    },
    changePassword: async ({ request, reply, body: { old_password, password } }) => {
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
    checkInvitation: ({ request, body: { token } }) =>
      signIn.throttledSecret(request, async () => {
        const { email, name, invitedUntil } = await invitedMember(token);
        return { email, name, expires_at: new Date(invitedUntil ?? 0).toISOString() };
      }),
    acceptInvitation: async ({ request, reply, body: { token, password } }) => {
      requireGoodPassword(password);
      const member = await signIn.throttledSecret(request, async () => {
        // Looked up before the expensive hash.
        await invitedMember(token);
        const passwordHash = await hashPassword(password, web.passwordCost);
        const accepted = await store.acceptInvitation(hashKey(token), passwordHash, Date.now());
        if (accepted === null) throw invitationInvalid();
        return accepted;
      });
      const subject = { subject: member.id, subjectName: member.name };
      return begin(request, reply, member.id, 'invitation_accepted', subject);
    },
    listSessions: async ({ request }) => {
      const current = sessionOf(request);
      const found = await sessions.list(current.owner);
      return { sessions: found.map((session) => toOwnSession(session, current)) };
    },
    endSession: async ({ request, id }) => {
      const found = await sessions.list(sessionOf(request).owner);
      const session = found.find(({ hash }) => publicIdOf(hash) === id);
      if (session === undefined) throw new Failure('not_found', 'There is no such session.', { hint: 'It has ended.' });
      await sessions.end(session.hash);
      await audit.record(request, { action: 'session_ended', subject: publicIdOf(session.hash) });
      return { ended: true };
    },
  } satisfies Partial<Handlers>;
}

/** Throws `bad_input` for a password that is too short or too long. */
function requireGoodPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault !== null) throw fault;
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
