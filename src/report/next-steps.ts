import { amount } from '../model/amount.js';
import { explainSubStatus } from '../model/text/sentences.js';
import { statusOf } from '../model/verdict.js';
import { type RunStats, unprobedIn } from './run-stats.js';

/** Advice on a validated list, most useful first. */
export function nextSteps({ summary, reasons, suggestions }: RunStats): string[] {
  const { valid_count: valid, invalid_count: invalid, risky_count: risky, unknown_count: unknown } = summary;
  const addresses = (number: number): string => amount(number, 'address', 'addresses');
  const unprobed = unprobedIn(reasons);
  const [commonest] = reasons.names.filter(
    ({ name }) => Object.hasOwn(statusOf, name) && statusOf[name as keyof typeof statusOf] === 'unknown',
  );
  return [
    unprobed > 0
      ? `For ${addresses(unprobed)} the mailbox itself was not asked about. Run it with --level smtp before you rely on them.`
      : '',
    invalid > 0
      ? `Remove the ${addresses(invalid)} that ${invalid === 1 ? 'is' : 'are'} invalid: mail to them comes back.`
      : '',
    suggestions.count > 0
      ? `${amount(suggestions.count, 'address looks', 'addresses look')} mistyped. The table below says what was probably meant; ask before you change ${suggestions.count === 1 ? 'it' : 'them'}.`
      : '',
    risky > 0
      ? `Look at the ${addresses(risky)} that ${risky === 1 ? 'is' : 'are'} risky, and write to them with care.`
      : '',
    unknown > 0
      ? `Ask again about the ${addresses(unknown)} that ${unknown === 1 ? 'is' : 'are'} unknown: no answer is neither good nor bad.${commonest === undefined ? '' : ` The commonest reason: ${explainSubStatus(commonest.name).means}`}`
      : '',
    valid > 0 && invalid + risky + unknown === 0 && unprobed === 0 ? 'Nothing: every address can be written to.' : '',
  ].filter((step) => step !== '');
}
