import { formatAmount } from '../../model/amount.js';
import type { BulkAnswer } from '../../model/result.js';
import type { ValidationService } from '../../model/service.js';
import { isEmbeddedAddress, isMistypedAddress, isPlainAddress } from '../../rows/read/find-addresses.js';
import { fixedColumn } from '../../rows/table/verdict-columns.js';
import type { RowStyle } from '../render/rows/row-writer.js';
import { type AddressColumns, fixRows, suggestionOf, suppressCorrections } from './fix-rows.js';
import type { RowsWithResults } from './rows-with-results.js';

interface FixOptions {
  service: Pick<ValidationService, 'validate'>;
  columns: AddressColumns;
  /** Whether an address is on a suppression list; null without one. */
  isSuppressed: ((email: string) => boolean) | null;
  subject: RowStyle['subject'];
  /** True if no address may be shown. */
  isHashed: boolean;
  /** True if some of the rows may be left out of the outputs. */
  leavesOutRows: boolean;
  /** Whether a column is in one of the outputs. */
  hasColumn: (name: string) => boolean;
  signal: AbortSignal;
}

/** Corrects the rows of a list, and counts what was corrected and what was not. */
export function createFixer(options: FixOptions) {
  const { service, columns, isSuppressed, subject, isHashed, leavesOutRows, hasColumn, signal } = options;
  const counts = { corrected: 0, suppressed: 0, suggested: 0, unclear: 0 };
  let example = '';

  const correctedNote = (): string => {
    const isOne = counts.corrected === 1;
    const shown = isHashed ? '' : `${isOne ? ':' : ', such as'} ${example}`;
    const old = isOne ? 'the old one is' : 'the old ones are';
    const unless = leavesOutRows ? `, unless ${isOne ? 'its row was' : 'their rows were'} left out` : '';
    const verdicts = isOne ? 'the verdict on the old one' : 'the verdicts on the old ones';
    return [
      `--fix corrected ${formatAmount(counts.corrected, 'address', 'addresses')}${shown}`,
      hasColumn(fixedColumn) ? `; ${old} in ${fixedColumn}${unless}` : '',
      // The statistics of the job differ from those of the output.
      subject === 'job' ? `; the job keeps ${verdicts}.` : '.',
    ].join('');
  };

  return {
    fix: async (batch: RowsWithResults): Promise<RowsWithResults> => {
      const allowed = isSuppressed === null ? batch : suppressCorrections(batch, isSuppressed);
      const fixed = await fixRows(service, allowed, columns, signal);
      for (const [index, answer] of fixed.answers.entries()) {
        const old = allowed.answers[index] ?? answer;
        if (old !== batch.answers[index]) counts.suppressed++;
        // The result stays the same if only what is around the address is removed.
        if (answer.result !== old.result) {
          counts.corrected++;
          example ||= `${old.result.email} → ${answer.result.email}`;
        } else if (suggestionOf(answer) !== null) counts.suggested++;
        else if (isUnclear(fixed.rows[index]?.email ?? '', answer)) counts.unclear++;
      }
      return fixed;
    },
    correctedCount: (): number => counts.corrected,
    notes: (): string[] => [
      ...(counts.corrected > 0 ? [correctedNote()] : []),
      ...(counts.suggested > 0 ? [suggestedNote(counts.suggested, !isHashed && hasColumn(suggestionColumn))] : []),
      ...(counts.unclear > 0 ? [unclearNote(counts.unclear)] : []),
      ...(counts.suppressed > 0 ? [suppressedNote(counts.suppressed)] : []),
    ],
  };
}

const suggestionColumn = 'mailvet_did_you_mean';

/** True for an address among other text, or with a comma or blank in its domain, that is not corrected. */
function isUnclear(email: string, { suppressed }: BulkAnswer): boolean {
  if (suppressed || isPlainAddress(email)) return false;
  return isMistypedAddress(email) || isEmbeddedAddress(email);
}

function suggestedNote(count: number, hasSuggestions: boolean): string {
  const suggestions = formatAmount(count, 'suggestion was', 'suggestions were');
  const certain = count === 1 ? 'it is not certain' : 'they are not certain';
  return `${suggestions} not applied, because ${certain}${hasSuggestions ? `; see ${suggestionColumn}` : ''}.`;
}

function unclearNote(count: number): string {
  const addresses = formatAmount(count, 'address', 'addresses');
  const were = count === 1 ? 'was judged as it stands' : 'were judged as they stand';
  return `${addresses} among other text, or with a comma or blank in the domain, ${were}: no correction is certain.`;
}

function suppressedNote(count: number): string {
  return count === 1
    ? '1 address would be corrected to one on a list of --exclude, so it is suppressed.'
    : `${formatAmount(count, 'address', 'addresses')} would be corrected to ones on a list of --exclude, so they are suppressed.`;
}
