import { amount, count } from '../../../model/amount.js';
import { rowKinds } from '../../../model/row-kind.js';
import type { RunStats } from '../../../report/run-stats.js';
import type { Context } from '../../context.js';
import type { NextStep, Written } from '../../render/final-summary.js';
import { formatKind } from '../../render/rows/formats.js';
import type { BulkOptions } from './bulk-options.js';

/** Reasons that say something about this machine or its network, and nothing about the list. */
const ownTroubles = ['outbound_port_blocked', 'dns_error', 'needs_reverse_dns'];

/** What it makes sense to do with a list that has come to its end; null where nothing suggests itself. */
export function nextStep(
  context: Context,
  options: BulkOptions,
  { summary, reasons }: RunStats,
  written: readonly Written[],
): NextStep | null {
  const { unknown_count: unknown } = summary;
  const isOurs = reasons.names.reduce((sum, { name, total }) => sum + (ownTroubles.includes(name) ? total : 0), 0);
  if (unknown > 0 && isOurs * 2 >= unknown) {
    return { command: 'mailvet doctor', does: 'tells what is in the way from here, and what to do about it' };
  }
  const whole = wholeOutput(options, written);
  if (unknown > 0 && whole !== null && context.settings().mode === 'local') {
    const resume = options.resume === undefined ? ['--resume', whole] : [];
    const only = options.onlyUnknown ? [] : ['--only-unknown'];
    const ones = unknown === 1 ? 'the unknown one' : `the ${count(unknown)} unknown ones`;
    return { command: context.commandWith(...resume, ...only), does: `asks ${ones} again` };
  }
  const [list] = options.paths;
  if (list === undefined || written.length > 0 || options.output.format !== null) return null;
  const three = rowKinds.map((kind) => `.${kind}.csv`).join(', ');
  return {
    command: context.commandWith('--clean'),
    does: `sorts ${amount(summary.total, 'row')} into three files (${three})`,
  };
}

/** The output that holds all rows with their verdicts; null where there is none. */
function wholeOutput({ output, review, paths }: BulkOptions, written: readonly Written[]): string | null {
  const isWhole =
    output.only === null && output.fields === null && !review.dedupe && !review.onlyChanged && !review.fix;
  const kind = formatKind(output.format);
  const isRead = paths.length > 0 && kind !== 'screen' && kind !== 'text';
  return isWhole && isRead && output.path !== null && written.length > 0 && !output.inPlace ? output.path : null;
}
