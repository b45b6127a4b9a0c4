import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashKey } from '../../jobs/api-keys.js';
import { type Invitation, type MemberRecord, maxMembers, memberId } from '../../jobs/store/members.js';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { safeText } from '../../model/text/safe-text.js';
import { type MemberChange, type MemberView, memberRoles, type NewMember } from '../../wire/app-members.js';
import { auditKeptDays } from '../observe/audit.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import { foldEmail } from './sign-in.js';
import type { WebContext } from './web-context.js';

const invitationMs = 7 * 24 * 60 * 60_000;
const name = { type: 'string', minLength: 1, maxLength: 100 } as const;
const role = { type: 'string', enum: memberRoles } as const;
const bodies = {
  add: {
    type: 'object',
    required: ['email', 'name', 'role'],
    properties: { email: { type: 'string', minLength: 3, maxLength: 254 }, name, role },
  },
  change: { type: 'object', properties: { name, role } },
} as const;
const auditQuery = {
  type: 'object',
  properties: {
    skip: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
} as const;

/** The Members and Audit pages. */
export function registerMemberRoutes(app: FastifyInstance, context: WebContext): void {
  const { store, sessions, audit } = context;
  const record = (request: FastifyRequest, action: string, member: MemberRecord): Promise<void> =>
    audit.record(request, { action, subject: member.id, subjectName: member.name });

  defineAppRoute(app, 'listMembers', {
    answer: async () => ({ members: (await store.listMembers()).map(toMemberView) }),
  });
  defineAppRoute(app, 'addMember', {
    body: bodies.add,
    answer: async (request) => {
      const body = request.body as NewMember;
      const { token, invitation } = createInvitation(request.session?.owner ?? '');
      const member: MemberRecord = {
        id: memberId(randomUUID()),
        email: requireEmail(body.email),
        name: requireName(body.name),
        role: body.role,
        createdAt: Date.now(),
        lastSignInAt: null,
        passwordHash: null,
        invitedUntil: invitation.until,
      };
      const outcome = await store.addMember(member, invitation);
      if (outcome !== 'added') throw notAdded(outcome);
      await record(request, 'member_invited', member);
      return { member: toMemberView(member), token };
    },
  });
  defineAppRoute(app, 'changeMember', {
    body: bodies.change,
    answer: async (request) => {
      const change = request.body as MemberChange;
      if (change.role === 'member') refuseSelf(request);
      const changed = await store.changeMember(idOf(request), {
        ...(change.name !== undefined && { name: requireName(change.name) }),
        ...(change.role !== undefined && { role: change.role }),
      });
      if (changed === null) throw memberNotFound();
      await record(request, change.role === undefined ? 'member_renamed' : `member_made_${change.role}`, changed);
      return toMemberView(changed);
    },
  });
  defineAppRoute(app, 'inviteMember', {
    answer: async (request) => {
      const { token, invitation } = createInvitation(request.session?.owner ?? '');
      const member = await store.inviteMember(idOf(request), invitation);
      if (member === null) throw memberNotFound();
      await record(request, 'member_invited', member);
      return { member: toMemberView(member), token };
    },
  });
  defineAppRoute(app, 'removeMember', {
    answer: async (request) => {
      refuseSelf(request);
      const removed = await store.removeMember(idOf(request), Date.now());
      if (removed === null) throw memberNotFound();
      await sessions.endAll(removed.id);
      await record(request, 'member_removed', removed);
      return toMemberView(removed);
    },
  });
  defineAppRoute(app, 'listAudit', {
    query: auditQuery,
    answer: async (request) => {
      const { skip, limit } = request.query as { skip: number; limit: number };
      const { entries, total } = await store.listAudit({ skip, limit });
      const views = entries.map(({ at, actorName, action, subject, subjectName, address }) => ({
        ...{
          at: new Date(at).toISOString(),
          actor_name: actorName,
          action,
          subject,
          subject_name: subjectName,
          address,
        },
      }));
      return { entries: views, total, skip, limit, kept_days: auditKeptDays };
    },
  });
}

/** A one-time secret of 256 bits; only its hash is stored. */
function createInvitation(by: string): { token: string; invitation: Invitation } {
  const token = randomBytes(32).toString('base64url');
  return { token, invitation: { hash: hashKey(token), until: Date.now() + invitationMs, by } };
}

function toMemberView(member: MemberRecord): MemberView {
  const { id, email, name: memberName, role: memberRole, createdAt, lastSignInAt, invitedUntil, passwordHash } = member;
  const isOpen = (invitedUntil ?? 0) > Date.now();
  return {
    id,
    email,
    name: memberName,
    role: memberRole,
    state: passwordHash !== null ? 'active' : isOpen ? 'invited' : 'expired',
    created_at: new Date(createdAt).toISOString(),
    last_sign_in_at: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
    invited_until: invitedUntil === null || !isOpen ? null : new Date(invitedUntil).toISOString(),
  };
}

/** Administrators cannot lock themselves out. */
function refuseSelf(request: FastifyRequest): void {
  if (request.session?.owner !== idOf(request)) return;
  throw new Failure('conflict', 'You cannot remove yourself or give up your own role.', {
    hint: 'Another administrator can.',
  });
}

function requireEmail(text: string): string {
  const email = foldEmail(text);
  if (/^[^\s@]+@[^\s@]+$/.test(email) && safeText(email) === email) return email;
  throw new Failure('bad_input', 'This is not an email address.', { hint: 'Write it as name@example.com.' });
}

function requireName(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && safeText(trimmed) === trimmed) return trimmed;
  throw new Failure('bad_input', 'The name is empty, or contains characters that cannot be seen.');
}

function notAdded(outcome: 'taken' | 'full'): Failure {
  if (outcome === 'taken') {
    return new Failure('conflict', 'A member with this address exists already.', {
      hint: 'Send them a new invitation instead.',
    });
  }
  return new Failure('conflict', `There are ${formatAmount(maxMembers, 'member')} already, the most there can be.`);
}

function memberNotFound(): Failure {
  return new Failure('not_found', 'There is no such member.', { hint: 'They may have been removed.' });
}
