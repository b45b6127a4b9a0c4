import type { AddressCipher } from '../address-cipher.js';
import type { MemberChange } from '../members.js';
import { adminOwner } from '../sessions.js';
import { answersTable } from './answers-table.js';
import { auditTable } from './audit-table.js';
import { jobQueries } from './job-queries.js';
import { jobTransitions } from './job-transitions.js';
import { keysTable } from './keys-table.js';
import { membersTable } from './members-table.js';
import { sessionsTable } from './sessions-table.js';
import { settingsTable } from './settings-table.js';
import type { SqlBackend } from './steps.js';
import { uploadsTable } from './uploads-table.js';
import { usageTable } from './usage-table.js';
import { webhooksTable } from './webhooks-table.js';

/** The tables that are the same in SQLite and PostgreSQL. */
export function sharedTables(backend: SqlBackend, addresses: AddressCipher) {
  const jobs = jobTransitions(backend, addresses);
  const keys = keysTable(backend);
  const revokeKey = async (id: string, now: number) => {
    const revoked = await keys.revokeKey(id, now);
    if (revoked !== null) await jobs.cancelJobsOf(id, now);
    return revoked;
  };
  const { deleteMember, withdrawInvitations, ...members } = membersTable(backend);
  const webhooks = webhooksTable(backend);
  /** Deletes what a member set up as an administrator. */
  const endAdministration = async (id: string): Promise<void> => {
    await withdrawInvitations(id);
    const created = (await webhooks.listWebhooks(adminOwner)).filter(({ createdBy }) => createdBy === id);
    for (const webhook of created) await webhooks.removeWebhook(webhook.id);
  };
  /** Ends the keys, jobs and webhooks of a member. */
  const endAllOf = async (id: string, now: number): Promise<void> => {
    const owned = (await keys.listKeys()).filter(({ memberId, revokedAt }) => memberId === id && revokedAt === null);
    for (const key of owned) await revokeKey(key.id, now);
    await jobs.cancelJobsOf(id, now);
    for (const webhook of await webhooks.listWebhooks(id)) await webhooks.removeWebhook(webhook.id);
    await endAdministration(id);
  };
  return {
    ...uploadsTable(backend),
    ...jobQueries(backend),
    ...jobs,
    ...answersTable(backend, addresses),
    ...keys,
    revokeKey,
    ...members,
    changeMember: async (id: string, change: MemberChange) => {
      const changed = await members.changeMember(id, change);
      if (change.role === 'member') await endAdministration(id);
      return changed;
    },
    removeMember: async (id: string, now: number) => {
      if ((await members.getMember(id)) === null) return null;
      // Runs before the member is deleted, so that an interrupted removal can be repeated, and after it, for later additions.
      await endAllOf(id, now);
      const removed = await deleteMember(id);
      await endAllOf(id, now);
      return removed;
    },
    ...auditTable(backend),
    ...webhooks,
    ...sessionsTable(backend),
    ...usageTable(backend),
    ...settingsTable(backend),
  };
}
