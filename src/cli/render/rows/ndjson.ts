import type { BulkAnswer } from '../../../model/result.js';
import { pickAll } from './pick.js';
import type { RowRenderer } from './rows.js';

/** One result a line, as JSON. */
export function ndjsonRows(fields: readonly string[] | null): RowRenderer {
  return {
    begin: () => '',
    rows: (_rows, answers) => {
      let text = '';
      for (const answer of answers) text += `${JSON.stringify(shape(answer, fields))}\n`;
      return text;
    },
    end: () => '',
  };
}

function shape({ result, duplicate }: BulkAnswer, fields: readonly string[] | null): unknown {
  if (fields !== null) return pickAll({ ...result, duplicate }, fields);
  return duplicate ? { ...result, duplicate } : result;
}
