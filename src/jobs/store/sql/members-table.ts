import type { MemberRole } from '../../../model/member.js';
import { type MemberChange, type MemberRecord, type MemberStore, maxMembers } from '../members.js';
import { readNumber, readNumberOrNull, readText, readTextOrNull, type StoredRow } from '../records.js';
import { all, forRequests, get, lock, run, type SqlBackend, type SqlValue, type Steps } from './steps.js';

export function membersTable(backend: SqlBackend): Omit<MemberStore, 'removeMember'> & {
  /** Withdraws the open invitations that a member sent. */
  withdrawInvitations(createdBy: string): Promise<number>;
  deleteMember(id: string): Promise<MemberRecord | null>;
} {
  const find = async (where: string, ...values: SqlValue[]): Promise<MemberRecord | null> => {
    const row = await backend.read(() => get(`SELECT * FROM members WHERE ${where}`, ...values), forRequests);
    return row === null ? null : readMember(row);
  };
  return {
    addMember: (member, { hash, until, createdBy }) =>
      backend.write(function* () {
        const counted = yield* get('SELECT count(*) AS n FROM members');
        if (readNumber(counted ?? {}, 'n') >= maxMembers) return 'full';
        const { id, email, name, role, createdAt } = member;
        const added = yield* run(
          `INSERT INTO members (id, email, name, role, created_at, invitation, invited_until, invited_by)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          ...[id, email, name, role, createdAt, hash, until, createdBy],
        );
        return added > 0 ? 'added' : 'taken';
      }),
    listMembers: async () => {
      const rows = await backend.read(() => all('SELECT * FROM members ORDER BY created_at, id'));
      return rows.map(readMember);
    },
    hasMembers: async () => (await backend.read(() => get('SELECT id FROM members LIMIT 1'), forRequests)) !== null,
    getMember: (id) => find('id = ?', id),
    findMember: (email) => find('email = ?', email),
    changeMember: (id, change) => backend.write(() => changeMember(id, change)),
    inviteMember: (id, { hash, until, createdBy }) => {
      const invite = 'UPDATE members SET invitation = ?, invited_until = ?, invited_by = ? WHERE id = ?';
      return backend.write(() => change(invite, hash, until, createdBy, id));
    },
    withdrawInvitations: (createdBy) =>
      backend.write(() =>
        run('UPDATE members SET invitation = NULL, invited_until = NULL WHERE invited_by = ?', createdBy),
      ),
    findInvitation: (hash, now) => find('invitation = ? AND invited_until > ?', hash, now),
    acceptInvitation: (hash, passwordHash, now) =>
      backend.write(function* () {
        const accept = `UPDATE members SET password = ?, invitation = NULL, invited_until = NULL
          WHERE invitation = ? AND invited_until > ?`;
        const member = yield* change(accept, passwordHash, hash, now);
        if (member !== null) yield* run('DELETE FROM sessions WHERE owner = ?', member.id);
        return member;
      }),
    changeMemberPassword: (id, passwordHash, currentHash) =>
      backend.write(function* () {
        const set = `UPDATE members SET password = ?, invitation = NULL, invited_until = NULL
          WHERE id = ? AND password = ?`;
        if ((yield* run(set, passwordHash, id, currentHash)) === 0) return false;
        yield* run('DELETE FROM sessions WHERE owner = ?', id);
        return true;
      }),
    recordSignIn: async (id, now) => {
      await backend.writeRepeatable(() => run('UPDATE members SET last_sign_in_at = ? WHERE id = ?', now, id));
    },
    deleteMember: (id) =>
      backend.write(function* () {
        yield* lock('SELECT id FROM members WHERE id = ?', id);
        yield* run('DELETE FROM sessions WHERE owner = ?', id);
        return yield* change('DELETE FROM members WHERE id = ?', id);
      }),
  };
}

function* changeMember(id: string, { name, role }: MemberChange): Steps<MemberRecord | null> {
  if (name !== undefined) yield* run('UPDATE members SET name = ? WHERE id = ?', name, id);
  if (role !== undefined) yield* run('UPDATE members SET role = ? WHERE id = ?', role, id);
  const row = yield* get('SELECT * FROM members WHERE id = ?', id);
  return row === null ? null : readMember(row);
}

/** Runs a statement on one member and returns the member. */
function* change(statement: string, ...values: SqlValue[]): Steps<MemberRecord | null> {
  const row = yield* get(`${statement} RETURNING *`, ...values);
  return row === null ? null : readMember(row);
}

function readMember(row: StoredRow): MemberRecord {
  return {
    id: readText(row, 'id'),
    email: readText(row, 'email'),
    name: readText(row, 'name'),
    role: readText(row, 'role') as MemberRole,
    createdAt: readNumber(row, 'created_at'),
    lastSignInAt: readNumberOrNull(row, 'last_sign_in_at'),
    passwordHash: readTextOrNull(row, 'password'),
    invitedUntil: readNumberOrNull(row, 'invited_until'),
  };
}
