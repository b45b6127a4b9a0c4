/** `request`: one to the server. `verdict`: one address, named by its status and sub_status. `domain`: one address, by its domain. */
export type UsageKind = 'request' | 'verdict' | 'domain';

/** How often something happened on a day, for one owner. No address is ever part of it. */
export interface UsageCount {
  /** As 2026-11-15, UTC. */
  day: string;
  owner: string;
  kind: UsageKind;
  /** Empty for requests; `valid ` or `invalid mailbox_not_found` for verdicts. */
  name: string;
  count: number;
}

/** Daily counts, for as long as they are kept. */
export interface UsageStore {
  /** Adds to what is there. Of the domains of an owner and day, only the most frequent are kept. */
  addUsage(counts: readonly UsageCount[]): Promise<void>;
  /** From that day on, of one owner or of all (null); domains come summed up over the days, as the day that was asked from, the most frequent first. */
  readUsage(owner: string | null, from: string): Promise<UsageCount[]>;
  forgetUsage(before: string): Promise<void>;
}

/** Domains kept of an owner and a day. */
export const domainsKept = 50;
