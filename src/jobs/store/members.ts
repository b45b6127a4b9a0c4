import type { MemberRole } from '../../wire/app.js';
import { cancelOpenJobs } from './job-changes.js';
import { revokeKeysOf } from './keys.js';
import { adminOwner } from './sessions.js';
import { all, forRequests, get, insert, run, type SqlBackend, type SqlValue, type Steps } from './sql.js';
import { removeWebhooks } from './webhooks.js';

/** A person who signs in to the web application. Times are in ms since 1970. */
export interface MemberRecord {
  /** Begins with `memberPrefix`. */
  id: string;
  /** In lower case; unique. */
  email: string;
  name: string;
  role: MemberRole;
  createdAt: number;
  lastSignInAt: number | null;
  /** The hash of the password; null until the invitation is accepted. */
  passwordHash: string | null;
  /** The end of an open invitation. */
  invitedUntil: number | null;
}

/** An invitation, identified by the hash of its one-time secret. */
export interface Invitation {
  hash: string;
  until: number;
  /** The owner of the session that created it. */
  createdBy: string;
}

export type MemberStore = ReturnType<typeof membersTable>;

/** The number of members is bounded, so that all fit on a page. */
export const maxMembers = 1_000;

const columns = 'id, email, name, role, created_at, last_sign_in_at, password_hash, invited_until';

export function membersTable(backend: SqlBackend) {
  const { read, write } = backend;
  const find = (where: string, ...values: SqlValue[]) =>
    read(() => get<MemberRecord>(`SELECT ${columns} FROM members WHERE ${where}`, ...values), forRequests);
  return {
    /** `taken`: another member has the address. `full`: there are `maxMembers`. */
    addMember: (member: MemberRecord, { hash, until, createdBy }: Invitation) =>
      write(function* (): Steps<'added' | 'taken' | 'full'> {
        const counted = yield* get<{ n: number }>('SELECT count(*) AS n FROM members');
        if ((counted?.n ?? 0) >= maxMembers) return 'full';
        const invited = { ...member, invitation: hash, invitedUntil: until, invitedBy: createdBy };
        return (yield* insert('members', invited, 'ON CONFLICT DO NOTHING')) > 0 ? 'added' : 'taken';
      }),
    /** Oldest first. */
    listMembers: () => read(() => all<MemberRecord>(`SELECT ${columns} FROM members ORDER BY created_at, id`)),
    hasMembers: async () => (await read(() => get('SELECT id FROM members LIMIT 1'), forRequests)) !== null,
    getMember: (id: string) => find('id = ?', id),
    findMember: (email: string) => find('email = ?', email),
    /** With the role `member`, also deletes the webhooks and open invitations that they created as an administrator. */
    changeMember: (id: string, { name, role }: { name?: string; role?: MemberRole }) =>
      write(function* () {
        if (role === 'member') yield* endAdministration(id);
        const set = 'UPDATE members SET name = coalesce(?, name), role = coalesce(?, role) WHERE id = ?';
        return yield* change(set, name ?? null, role ?? null, id);
      }),
    /** Replaces an earlier invitation. The password stays until the invitation is accepted. */
    inviteMember: (id: string, { hash, until, createdBy }: Invitation) => {
      const invite = 'UPDATE members SET invitation = ?, invited_until = ?, invited_by = ? WHERE id = ?';
      return write(() => change(invite, hash, until, createdBy, id));
    },
    findInvitation: (hash: string, now: number) => find('invitation = ? AND invited_until > ?', hash, now),
    /** Sets the password, once for each invitation, and ends all sessions of the member. */
    acceptInvitation: (hash: string, passwordHash: string, now: number) =>
      write(() => setPassword('invitation = ? AND invited_until > ?', passwordHash, hash, now)),
    /** Replaces the current password and ends all sessions of the member; false if the password was changed meanwhile. */
    changeMemberPassword: async (id: string, passwordHash: string, currentHash: string) =>
      (await write(() => setPassword('id = ? AND password_hash = ?', passwordHash, id, currentHash))) !== null,
    recordSignIn: async (id: string, now: number) => {
      await backend.write(() => run('UPDATE members SET last_sign_in_at = ? WHERE id = ?', now, id));
    },
    /** Also ends the sessions, revokes the keys, cancels the jobs, deletes the webhooks and withdraws the open invitations of the member. */
    removeMember: (id: string, now: number) =>
      write(function* () {
        const removed = yield* change('DELETE FROM members WHERE id = ?', id);
        if (removed === null) return null;
        yield* run('DELETE FROM sessions WHERE owner = ?', id);
        yield* revokeKeysOf(backend, id, now);
        yield* cancelOpenJobs(backend, id, now);
        yield* removeWebhooks('owner = ?', id);
        yield* endAdministration(id);
        return removed;
      }),
  };
}

/** Runs a statement on one member and returns the member. */
function* change(statement: string, ...values: SqlValue[]): Steps<MemberRecord | null> {
  return yield* get<MemberRecord>(`${statement} RETURNING ${columns}`, ...values);
}

function* setPassword(where: string, passwordHash: string, ...values: SqlValue[]): Steps<MemberRecord | null> {
  const set = 'UPDATE members SET password_hash = ?, invitation = NULL, invited_until = NULL WHERE';
  const member = yield* change(`${set} ${where}`, passwordHash, ...values);
  if (member !== null) yield* run('DELETE FROM sessions WHERE owner = ?', member.id);
  return member;
}

/** Deletes what a member set up as an administrator. */
function* endAdministration(id: string): Steps<void> {
  yield* run('UPDATE members SET invitation = NULL, invited_until = NULL WHERE invited_by = ?', id);
  yield* removeWebhooks('owner = ? AND created_by = ?', adminOwner, id);
}

/** An entry of the audit log. Names are those at the time of the action. */
export interface AuditEntry {
  at: number;
  /** The administrator, a member or a key; empty for an unknown caller. */
  actor: string;
  actorName: string;
  /** For example `key_created`. */
  action: string;
  /** The id of the object of the action; may be empty. */
  subject: string;
  subjectName: string;
  /** The IPv4 address or IPv6 /64 of the caller; empty for the command line. */
  network: string;
}

export type AuditStore = ReturnType<typeof auditTable>;

const auditColumns = 'at, actor, actor_name, action, subject, subject_name, network';

export function auditTable(backend: SqlBackend) {
  return {
    addAudit: async (entry: AuditEntry) => {
      await backend.write(() => insert('audit', entry));
    },
    /** Newest first. */
    listAudit: ({ skip, limit, search = '' }: { skip: number; limit: number; search?: string }) =>
      backend.read(function* () {
        // Texts are matched in lower case; the pattern has no wildcards of the user.
        const found = `FROM audit WHERE lower(actor_name || ' ' || replace(action, '_', ' ') || ' ' || subject_name) LIKE ? ESCAPE '!'`;
        const pattern = `%${search.trim().toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
        const list = `SELECT ${auditColumns} ${found} ORDER BY num DESC LIMIT ? OFFSET ?`;
        const entries = yield* all<AuditEntry>(list, pattern, limit, skip);
        const counted = yield* get<{ total: number }>(`SELECT count(*) AS total ${found}`, pattern);
        return { entries, total: counted?.total ?? 0 };
      }),
    /** Deletes entries before that time, and the oldest beyond `maxEntries`. */
    pruneAudit: (before: number, maxEntries: number) =>
      backend.write(function* () {
        const refused = `action = 'sign_in_failed'`;
        const deleteOldest = (where: string): string =>
          `DELETE FROM audit WHERE ${where} AND num <= (SELECT num FROM audit WHERE ${where} ORDER BY num DESC LIMIT 1 OFFSET ?)`;
        const expired = yield* run('DELETE FROM audit WHERE at < ?', before);
        // Counted separately, so that a flood of guesses does not displace other entries.
        const guesses = yield* run(deleteOldest(refused), maxEntries);
        return expired + guesses + (yield* run(deleteOldest(`NOT (${refused})`), maxEntries));
      }),
  };
}
