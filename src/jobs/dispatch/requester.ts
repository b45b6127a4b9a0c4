import type { Priority } from '../../async/caller.js';

/** The job or request that mailboxes are probed for. The declarations of the package use it, so it needs no driver of a database. */
export interface Requester {
  id: string;
  priority: Priority;
  /** How long the requester waits for answers; null: until the job ends. */
  withinMs: number | null;
}
