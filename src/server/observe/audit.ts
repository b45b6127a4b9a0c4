import type { FastifyRequest } from 'fastify';
import type { AuditEntry, AuditStore } from '../../jobs/store/members.js';
import { type Edge, networkOf } from '../access/edge.js';

/** An action and its subject. Contains no secrets and no addresses of lists. */
type AuditedAction = Pick<AuditEntry, 'action'> & Partial<Pick<AuditEntry, 'subject' | 'subjectName'>>;

/** The audit log of the web application. */
export type Audit = ReturnType<typeof openAudit>;

/** The maximum age and number of entries. */
export const auditKeptDays = 90;
export const maxAuditEntries = 50_000;
const dayMs = 24 * 60 * 60_000;
const maxNameLength = 200;

export function openAudit(store: AuditStore, edge: Edge, onError: (error: unknown) => void) {
  return {
    /** Records an action of a browser; requests with a key are usage, not audit. A failure is logged, not thrown. */
    record: async (request: FastifyRequest, { action, subject = '', subjectName = '' }: AuditedAction) => {
      const entry = {
        at: Date.now(),
        action,
        subject: subject.slice(0, maxNameLength),
        subjectName: subjectName.slice(0, maxNameLength),
        actor: request.session?.owner ?? '',
        actorName: request.caller?.name ?? '',
        network: networkOf(edge.clientAddress(request.raw)),
      };
      await store.addAudit(entry).catch(onError);
    },
    prune: async () => {
      await store.pruneAudit(Date.now() - auditKeptDays * dayMs, maxAuditEntries);
    },
  };
}
