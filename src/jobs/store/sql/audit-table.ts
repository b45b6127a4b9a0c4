import type { AuditEntry, AuditStore } from '../members.js';
import { readNumber, readText, type StoredRow } from '../records.js';
import { all, get, run, type SqlBackend } from './steps.js';

export function auditTable(backend: SqlBackend): AuditStore {
  return {
    addAudit: async ({ at, actor, actorName, action, subject, subjectName, network }) => {
      const add = `INSERT INTO audit (at, actor, actor_name, action, subject, subject_name, address)
        VALUES (?, ?, ?, ?, ?, ?, ?)`;
      await backend.write(() => run(add, at, actor, actorName, action, subject, subjectName, network));
    },
    listAudit: ({ skip, limit, search = '' }) =>
      backend.read(function* () {
        // Texts are matched in lower case; the pattern has no wildcards of the user.
        const found = `lower(actor_name || ' ' || replace(action, '_', ' ') || ' ' || subject_name) LIKE ? ESCAPE '!'`;
        const pattern = `%${search.trim().toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
        const list = `SELECT * FROM audit WHERE ${found} ORDER BY num DESC LIMIT ? OFFSET ?`;
        const rows = yield* all(list, pattern, limit, skip);
        const counted = yield* get(`SELECT count(*) AS n FROM audit WHERE ${found}`, pattern);
        return { entries: rows.map(readEntry), total: readNumber(counted ?? {}, 'n') };
      }),
    pruneAudit: (before, maxEntries) =>
      backend.writeRepeatable(function* () {
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

function readEntry(row: StoredRow): AuditEntry {
  return {
    at: readNumber(row, 'at'),
    actor: readText(row, 'actor'),
    actorName: readText(row, 'actor_name'),
    action: readText(row, 'action'),
    subject: readText(row, 'subject'),
    subjectName: readText(row, 'subject_name'),
    network: readText(row, 'address'),
  };
}
