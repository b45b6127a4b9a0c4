import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addMember, inviteAgain, memberNotFound, requireName, toMemberView } from '../../jobs/members.js';
import { Failure } from '../../model/failure.js';
import { memberRoles, type NewMember } from '../../model/member.js';
import type { MemberChange } from '../../wire/app-members.js';
import { auditKeptDays } from '../observe/audit.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import type { WebContext } from './web-context.js';

const name = { type: 'string', minLength: 1, maxLength: 100 } as const;
const role = { type: 'string', enum: memberRoles } as const;
const bodies = {
  add: {
    type: 'object',
    required: ['email', 'name', 'role'],
    properties: { email: { type: 'string', minLength: 3, maxLength: 254 }, name, role },
  },
  change: { type: 'object', minProperties: 1, properties: { name, role } },
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
  const record = (request: FastifyRequest, action: string, member: { id: string; name: string }): Promise<void> =>
    audit.record(request, { action, subject: member.id, subjectName: member.name });

  defineAppRoute(app, 'listMembers', {
    answer: async () => ({ members: (await store.listMembers()).map(toMemberView) }),
  });
  defineAppRoute(app, 'addMember', {
    body: bodies.add,
    answer: async (request) => {
      const body = request.body as NewMember;
      const invited = await addMember(store, body, request.session?.owner ?? '');
      await record(request, 'member_invited', invited.member);
      return invited;
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
      if (change.name !== undefined) await record(request, 'member_renamed', changed);
      if (change.role !== undefined) await record(request, `member_made_${change.role}`, changed);
      return toMemberView(changed);
    },
  });
  defineAppRoute(app, 'inviteMember', {
    answer: async (request) => {
      const invited = await inviteAgain(store, idOf(request), request.session?.owner ?? '');
      await record(request, 'member_invited', invited.member);
      return invited;
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
      const views = entries.map(({ at, actorName, action, subject, subjectName, network }) => ({
        at: new Date(at).toISOString(),
        actor_name: actorName,
        action,
        subject,
        subject_name: subjectName,
        address: network,
      }));
      return { entries: views, total, skip, limit, kept_days: auditKeptDays };
    },
  });
}

/** Administrators cannot lock themselves out. */
function refuseSelf(request: FastifyRequest): void {
  if (request.session?.owner !== idOf(request)) return;
  throw new Failure('conflict', 'You cannot remove yourself or give up your own role.', {
    hint: 'Another administrator can.',
  });
}
