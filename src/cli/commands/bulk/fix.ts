import type { BulkAnswer } from '../../../model/result.js';
import type { ValidationService } from '../../../model/service.js';
import type { Row } from '../../../rows/rows.js';
import { fixedColumn } from '../../flags/review-flags.js';
import type { Paired } from './pair-rows.js';

/**
 * Applies corrections that are sure: the address as written is proven bad, and the one that was meant is proven good. Its row gets the
 * corrected address and that one's verdict.
 */
export async function fixRows(
  service: Pick<ValidationService, 'validate'>,
  { rows, answers }: Paired,
  emailColumn: number,
  signal: AbortSignal,
): Promise<Paired> {
  const fixed = await Promise.all(
    answers.map(async (answer, index) => {
      const row = rows[index];
      const meant = 'did_you_mean' in answer.result ? answer.result.did_you_mean : null;
      if (row === undefined || answer.result.status !== 'invalid' || meant === null || meant === '') return null;
      const result = await service.validate(meant, { signal });
      if (!result.is_valid) return null;
      return { row: withEmail(row, meant, emailColumn), answer: withFix(answer, result, row.email) };
    }),
  );
  if (fixed.every((fix) => fix === null)) return { rows, answers };
  return {
    rows: rows.map((row, index) => fixed[index]?.row ?? row),
    answers: answers.map((answer, index) => fixed[index]?.answer ?? answer),
  };
}

function withFix(answer: BulkAnswer, result: BulkAnswer['result'], before: string): BulkAnswer {
  return { ...answer, result, added: { ...answer.added, [fixedColumn]: before } };
}

/** The row is written anew: its text is that of the address before. */
function withEmail({ cells, part }: Row, email: string, emailColumn: number): Row {
  const own = cells.map((cell, index) => (index === emailColumn ? email : cell));
  return { cells: own, email, ...(part && { part }) };
}
