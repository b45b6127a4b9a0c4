import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { withVerdict } from '../../../rows/write/json-verdict.js';
import { pickAll } from './pick.js';
import type { RowRenderer } from './rows.js';

/** One result a line, as JSON. An object of the input is written as it stood, with the verdict added. */
export function ndjsonRows(fields: readonly string[] | null): RowRenderer {
  return {
    begin: () => '',
    rows: (rows, answers) => {
      let text = '';
      for (let index = 0; index < answers.length; index++) {
        const answer = answers[index];
        if (answer !== undefined) text += `${encode(rows[index], answer, fields)}\n`;
      }
      return text;
    },
    end: () => '',
  };
}

function encode(row: Row | undefined, answer: BulkAnswer, fields: readonly string[] | null): string {
  const { result, duplicate, added } = answer;
  if (fields !== null) return JSON.stringify(pickAll({ ...result, duplicate, ...added }, fields));
  if (row?.json !== undefined) return withVerdict(row.json, answer);
  return JSON.stringify(duplicate || added ? { ...result, ...(duplicate && { duplicate }), ...added } : result);
}
