import { Failure, type FailureCode } from '../../model/failure.js';
import type { Finding } from '../../wire/app-status.js';

export type CheckState = Finding['state'];

/** One thing that was looked at. Several may share a name, as each resolver has its own `resolver`. */
export interface Check extends Omit<Finding, 'title'> {
  /** What the failure counts as; null unless `state` is `fail`. */
  code: FailureCode | null;
  /** What was found, for programs. */
  facts: Record<string, unknown>;
}

type Extra = Partial<Pick<Check, 'subject' | 'hint' | 'facts'>>;

/** It works. */
export function ok(name: string, message: string, extra: Extra = {}): Check {
  return { name, subject: null, state: 'ok', message, hint: null, code: null, facts: {}, ...extra };
}

/** It works, with a reservation. */
export function warn(name: string, message: string, extra: Extra = {}): Check {
  return { ...ok(name, message, extra), state: 'warn' };
}

/** It does not work. */
export function fail(name: string, code: FailureCode, message: string, extra: Extra = {}): Check {
  return { ...ok(name, message, extra), state: 'fail', code };
}

/** Nobody looked, and the message says why. */
export function skipped(name: string, message: string, extra: Extra = {}): Check {
  return { ...ok(name, message, extra), state: 'skipped' };
}

/** A Failure as the outcome of a check; anything else is a bug and goes on. */
export function failedWith(name: string, thrown: unknown, extra: Extra = {}): Check {
  if (!(thrown instanceof Failure) || thrown.code === 'interrupted') throw thrown;
  return fail(name, thrown.code, thrown.message, { hint: thrown.hint, ...extra });
}

/** The same finding about something that the back end in use does without. */
export function asWarning(check: Check): Check {
  return check.state === 'fail' ? { ...check, state: 'warn', code: null } : check;
}

/** What the first failure counts as, which gives the exit status; null where nothing failed. */
export function firstFailure(checks: readonly Check[]): FailureCode | null {
  return checks.find(({ state }) => state === 'fail')?.code ?? null;
}

/** What each check is called for people. */
export const titles: Record<string, string> = {
  node: 'Node',
  settings: 'Settings',
  data_directory: 'Data directory',
  job_store: 'Job store',
  workers: 'Workers',
  lists: 'Lists',
  resolver: 'DNS server',
  smtp_port: 'Mail port',
  ehlo_name: 'EHLO name',
  ipv6: 'IPv6',
  remote: 'Remote service',
};

/** The title of a check; its name where it has none. */
export function titleOf(name: string): string {
  return titles[name] ?? name;
}
