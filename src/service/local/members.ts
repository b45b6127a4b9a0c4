import { addMember, foldEmail, inviteAgain, toMemberView } from '../../jobs/members.js';
import { localOwner } from '../../jobs/store/job-record.js';
import type { MemberRecord } from '../../jobs/store/members.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';
import type { Members, MemberView } from '../../model/member.js';

/** What the Members page does, for the command line. It is in the audit log, too. */
export function openMembers(store: JobStore): Members {
  const record = (action: string, { id, name }: Pick<MemberView, 'id' | 'name'>): Promise<void> =>
    store.addAudit({
      at: Date.now(),
      actor: localOwner,
      actorName: 'command line',
      action,
      subject: id,
      subjectName: name,
      network: '',
    });
  const find = async (idOrEmail: string): Promise<MemberRecord> => findMember(await store.listMembers(), idOrEmail);
  return {
    list: async () => (await store.listMembers()).map(toMemberView),
    find: async (idOrEmail) => toMemberView(await find(idOrEmail)),
    invite: async (member) => {
      const invited = await addMember(store, member, adminOwner);
      await record('member_invited', invited.member);
      return invited;
    },
    reset: async (idOrEmail) => {
      const invited = await inviteAgain(store, (await find(idOrEmail)).id, adminOwner);
      await record('member_invited', invited.member);
      return invited;
    },
    changeRole: async (idOrEmail, role) => {
      const changed = await store.changeMember((await find(idOrEmail)).id, { role });
      if (changed === null) throw memberMissing(idOrEmail);
      await record(`member_made_${role}`, changed);
      return toMemberView(changed);
    },
    remove: async (idOrEmail) => {
      const removed = await store.removeMember((await find(idOrEmail)).id, Date.now());
      if (removed === null) throw memberMissing(idOrEmail);
      await store.endSessions(removed.id);
      await record('member_removed', removed);
      return toMemberView(removed);
    },
  };
}

/** By email address, id, or the beginning of an id if only one has it. */
function findMember(members: readonly MemberRecord[], idOrEmail: string): MemberRecord {
  const text = foldEmail(idOrEmail);
  const exact = members.find(({ id, email }) => id === text || email === text);
  const matches = text === '' ? [] : members.filter(({ id }) => id.startsWith(text));
  const found = exact ?? (matches.length === 1 ? matches[0] : undefined);
  if (found !== undefined) return found;
  if (matches.length === 0) throw memberMissing(idOrEmail);
  throw new Failure('usage', `${matches.length} members have an id that begins with ${text}.`, {
    hint: 'Give the email address.',
  });
}

function memberMissing(idOrEmail: string): Failure {
  return new Failure('not_found', `There is no member ${idOrEmail}.`, {
    hint: 'mailvet admin members shows all members.',
  });
}
