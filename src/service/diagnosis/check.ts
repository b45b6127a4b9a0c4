import { Failure, type FailureCode } from '../../model/failure.js';
import type { Finding } from '../../wire/app.js';

export type CheckState = Finding['state'];

/** One finding. Several may share a name: each resolver has its own `resolver`. */
export interface Check extends Omit<Finding, 'title'> {
  /** Null unless `state` is `fail`. */
  code: FailureCode | null;
  /** Values for programs. */
  facts: Record<string, unknown>;
}

type CheckDetails = Partial<Pick<Check, 'subject' | 'hint' | 'facts'>>;

export function ok(name: string, message: string, extra: CheckDetails = {}): Check {
  return { name, subject: null, state: 'ok', message, hint: null, code: null, facts: {}, ...extra };
}

export function warn(name: string, message: string, extra: CheckDetails = {}): Check {
  return { ...ok(name, message, extra), state: 'warn' };
}

export function fail(name: string, code: FailureCode, message: string, extra: CheckDetails = {}): Check {
  return { ...ok(name, message, extra), state: 'fail', code };
}

export function skipped(name: string, message: string, extra: CheckDetails = {}): Check {
  return { ...ok(name, message, extra), state: 'skipped' };
}

/** Converts a Failure to a check; rethrows anything else. */
export function failedWith(name: string, thrown: unknown, extra: CheckDetails = {}): Check {
  if (!(thrown instanceof Failure) || thrown.code === 'interrupted') throw thrown;
  return fail(name, thrown.code, thrown.message, { hint: thrown.hint, ...extra });
}

/** Downgrades a failure of something that the active back end does not need. */
export function asWarning(check: Check): Check {
  return check.state === 'fail' ? { ...check, state: 'warn', code: null } : check;
}

export const titles: Record<string, string> = {
  back_end: 'Back end',
  node: 'Node',
  settings: 'Settings',
  data_directory: 'Data directory',
  job_store: 'Job store',
  lists: 'Lists',
  resolver: 'DNS server',
  smtp_port: 'Mail port',
  ehlo_name: 'EHLO name',
  block_lists: 'Block lists',
  mail_from: 'Sender',
  remote: 'Remote service',
};

export function titleOf(name: string): string {
  return titles[name] ?? name;
}
