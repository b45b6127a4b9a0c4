import { Failure } from './failure.js';
import type { Job } from './job.js';

/** How many addresses needed DNS, for how many it failed, and whether the resolver was down. */
export interface DnsCounts {
  asked: number;
  failed: number;
  resolverDown: boolean;
}

/** The Failure of a list for which the resolver was down most of the time, otherwise null. */
export function dnsTrouble({ asked, failed, resolverDown }: DnsCounts): Failure | null {
  if (!resolverDown || failed * 2 <= asked) return null;
  const subject =
    asked === 1 ? ', so nothing is known about the address' : ' for most of the list, so nothing is known about it';
  return new Failure('network', `The DNS server gave no answer that can be trusted${subject}.`, {
    hint: 'Try again later, or use another DNS server with --set resolvers=HOST; "mailvet doctor" shows which ones work.',
  });
}

/** The Failure of a job, by its counts; missing counts are 0. */
export function dnsTroubleOf({ sub_status_counts: reasons = {}, resolver_down, ...job }: Job): Failure | null {
  const { valid_count = 0, invalid_count = 0, risky_count = 0, unknown_count = 0, reused_count = 0 } = job;
  const { dns_error: failed = 0, failed_syntax_check = 0, reserved_domain = 0 } = reasons;
  const answered = valid_count + invalid_count + risky_count + unknown_count;
  const asked = answered - failed_syntax_check - reserved_domain - reused_count;
  return dnsTrouble({ asked, failed, resolverDown: resolver_down === true });
}
