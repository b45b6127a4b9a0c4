import type { Priority } from '../../async/caller.js';

/** The job or request that mailboxes are probed for. Public declarations use this file, so it must not import a database driver. */
export interface Requester {
  id: string;
  priority: Priority;
  /** How long the requester waits for answers; null: until the job ends. */
  withinMs: number | null;
}
