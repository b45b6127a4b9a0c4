import type { BulkAnswer } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { withVerdict } from '../../../rows/write/json-verdict.js';
import { pickAll } from './pick.js';
import { type RowStyle, type RowWriter, textWriter } from './row-writer.js';

/** One result per line, as JSON. An object of the input is written as it was, with the verdict added. */
export async function openWriter({ subject, fields }: RowStyle): Promise<RowWriter> {
  if (subject === 'job') return (await import('./job-json.js')).jobLines(fields);
  return textWriter({ row: (row, answer) => `${encode(row, answer, fields)}\n` });
}

function encode({ json }: Row, answer: BulkAnswer, fields: readonly string[] | null): string {
  const { result, duplicate, added } = answer;
  if (fields !== null) return JSON.stringify(pickAll({ ...result, duplicate, ...added }, fields));
  if (json !== undefined) return withVerdict(json, answer);
  return JSON.stringify(duplicate || added ? { ...result, ...(duplicate && { duplicate }), ...added } : result);
}
