/** `request`: one HTTP request. `verdict`: one address, named by its status and sub_status. `domain`: one address, by its domain. */
export type UsageKind = 'request' | 'verdict' | 'domain';

/** A count of one day and owner. Contains no address. */
export interface UsageCount {
  /** As 2026-11-15, UTC. */
  day: string;
  owner: string;
  kind: UsageKind;
  /** Empty for requests; `valid ` or `invalid mailbox_not_found` for verdicts. */
  name: string;
  count: number;
}

export interface UsageStore {
  /** Adds to the stored counts. Of the domains of an owner and day, only the most frequent are kept. */
  addUsage(counts: readonly UsageCount[]): Promise<void>;
  /** From that day on, of one owner or of all (null). Domains are summed over the days, under the first day, most frequent first. */
  readUsage(owner: string | null, from: string): Promise<UsageCount[]>;
  pruneUsage(firstDay: string): Promise<void>;
}

/** Domains kept for each owner and day. */
export const maxDomainsPerDay = 50;
