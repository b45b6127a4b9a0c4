import type { InputFormat } from '../rows.js';
import { delimiters, firstLine, isEmailHeading, sepLine } from './csv/csv-hints.js';
import type { TextSource } from './decode/open-text.js';
import { findNestedList } from './json/scan-json.js';
import { textUnfolding } from './scan-lines.js';

/** The format of a list by the extension of its name, otherwise by its content. Only a possible CSV loads the CSV parser. */
export async function detectFormat(text: Pick<TextSource, 'sample' | 'charset'>, name: string): Promise<InputFormat> {
  const { sample, charset } = text;
  // The name of a file is quoted for messages.
  const extension = /\.([a-z]+)(?:\.gz)?"?$/i.exec(name)?.[1]?.toLowerCase();
  const start = sample.trimStart();
  if (extension === 'csv' || extension === 'tsv' || extension === 'tab') {
    const { isAddressLines } = await import('./csv/detect-dialect.js');
    return isAddressLines(sample, charset) ? 'lines' : 'csv';
  }
  if (extension === 'ndjson' || extension === 'jsonl') return 'ndjson';
  // No address starts with a bracket, so a list that does is JSON.
  if (/^\[\s*(?:["{[\]\d]|true|false|null|$)/.test(start)) return 'json';
  if (start.startsWith('{')) return isJson(firstLine(start)) && !isOneObject(start) ? 'ndjson' : 'json';
  if (extension === 'json') return start.startsWith('"') ? 'ndjson' : 'json';
  if (textUnfolding(sample) !== null) return 'text';
  return (await looksTabular(text)) ? 'csv' : 'lines';
}

async function looksTabular({ sample, charset }: Pick<TextSource, 'sample' | 'charset'>): Promise<boolean> {
  if (sepLine(sample) !== null) return true;
  if (!delimiters.some((delimiter) => sample.includes(delimiter)))
    return isEmailHeading(charset.show(firstLine(sample)));
  const csv = await import('./csv/detect-dialect.js');
  return csv.looksTabular(sample, charset);
}

/** True for a single line with a nested list: `{"contacts":[…]}`. */
function isOneObject(text: string): boolean {
  return firstLine(text.trimEnd()) === text.trimEnd() && findNestedList(text) !== null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
