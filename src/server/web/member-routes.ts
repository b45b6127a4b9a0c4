import type { FastifyRequest } from 'fastify';
import { addMember, inviteAgain, memberNotFound, requireName, toMemberView } from '../../jobs/members.js';
import type { AuditEntry } from '../../jobs/store/members.js';
import { Failure } from '../../model/failure.js';
import { escapeFormula } from '../../rows/table/formula.js';
import { auditKeptDays, maxAuditEntries } from '../observe/audit.js';
import type { Handlers } from '../routes/router.js';
import type { WebContext } from './web-context.js';

/** Members, and the audit log. */
export function memberHandlers({ store, sessions, audit }: WebContext) {
  const record = (request: FastifyRequest, action: string, member: { id: string; name: string }): Promise<void> =>
    audit.record(request, { action, subject: member.id, subjectName: member.name });
  return {
    listMembers: async () => ({ members: (await store.listMembers()).map(toMemberView) }),
    addMember: async ({ request, body }) => {
      const invited = await addMember(store, body, request.session?.owner ?? '');
      await record(request, 'member_invited', invited.member);
      return invited;
    },
    changeMember: async ({ request, id, body: { name, role } }) => {
      if (role === 'member') refuseSelf(request, id);
      const changed = await store.changeMember(id, {
        ...(name !== undefined && { name: requireName(name) }),
        ...(role !== undefined && { role }),
      });
      if (changed === null) throw memberNotFound();
      if (name !== undefined) await record(request, 'member_renamed', changed);
      if (role !== undefined) await record(request, `member_made_${role}`, changed);
      return toMemberView(changed);
    },
    inviteMember: async ({ request, id }) => {
      const invited = await inviteAgain(store, id, request.session?.owner ?? '');
      await record(request, 'member_invited', invited.member);
      return invited;
    },
    removeMember: async ({ request, id }) => {
      refuseSelf(request, id);
      const removed = await store.removeMember(id, Date.now());
      if (removed === null) throw memberNotFound();
      await sessions.endAll(removed.id);
      await record(request, 'member_removed', removed);
      return toMemberView(removed);
    },
    listAudit: async ({ query }) => {
      const { entries, total } = await store.listAudit(query);
      return { entries: entries.map(toAuditView), total, kept_days: auditKeptDays };
    },
    exportAudit: async ({ reply, query }) => {
      const { entries } = await store.listAudit({ ...query, skip: 0, limit: maxAuditEntries });
      const rows = entries.map(toAuditView).map((entry) => Object.values(entry));
      const names = ['time', 'user', 'action', 'subject_id', 'subject', 'network'];
      const name = `audit-${new Date().toISOString().slice(0, 10)}.csv`;
      return reply
        .header('content-disposition', `attachment; filename="${name}"`)
        .type('text/csv; charset=utf-8')
        .send([names, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join(''));
    },
  } satisfies Partial<Handlers>;
}

/** RFC 4180, and no spreadsheet runs it. */
function csvCell(text: string): string {
  return `"${escapeFormula(text).replaceAll('"', '""')}"`;
}

function toAuditView({ at, actorName, action, subject, subjectName, network }: AuditEntry) {
  return {
    at: new Date(at).toISOString(),
    actor_name: actorName,
    action,
    subject,
    subject_name: subjectName,
    address: network,
  };
}

/** Administrators cannot lock themselves out. */
function refuseSelf(request: FastifyRequest, id: string): void {
  if (request.session?.owner !== id) return;
  throw new Failure('conflict', 'You cannot remove yourself or give up your own role.', {
    hint: 'Another administrator can.',
  });
}
