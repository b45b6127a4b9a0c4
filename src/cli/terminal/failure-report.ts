import type { Failure } from '../../model/failure.js';
import { sanitise } from './sanitise.js';

export interface ReportOptions {
  json: boolean;
  verbose: boolean;
  colour: boolean;
}

/** A Failure for stderr: a sentence and the next step, or one line of JSON. The stack only when asked for. */
export function renderFailure(failure: Failure, { json, verbose, colour }: ReportOptions): string {
  if (json) {
    const { code, message, hint } = failure;
    return `${JSON.stringify({ error: { code, message, hint, ...(verbose ? { stack: stackOf(failure) } : {}) } })}\n`;
  }
  const label = colour ? '\x1b[31merror:\x1b[39m' : 'error:';
  const lines = [`${label} ${sanitise(failure.message)}`];
  if (failure.hint !== null) lines.push(`  ${sanitise(failure.hint)}`);
  if (verbose) lines.push(...stackOf(failure).split('\n').map(sanitise));
  return `${lines.join('\n')}\n`;
}

function stackOf(failure: Failure): string {
  const parts: string[] = [];
  let thrown: unknown = failure;
  for (let depth = 0; thrown instanceof Error && depth < 5; depth++) {
    parts.push(thrown.stack ?? thrown.message);
    thrown = thrown.cause;
  }
  return parts.join('\ncaused by: ');
}
