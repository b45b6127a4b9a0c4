import type { InputFormat } from '../rows.js';
import { delimiters, firstLine, isEmailHeading, sepLine } from './csv/csv-hints.js';
import type { TextSource } from './decode/open-text.js';
import { findNestedList } from './json/scan-json.js';
import { textUnfolding } from './scan-lines.js';

/** The format of a list by the extension of its name, otherwise by its content. Only a possible CSV loads the CSV parser. */
export async function detectFormat(text: TextSource, name: string): Promise<InputFormat> {
  const { sample, charset, isSheet } = text;
  // The name of a file is quoted for messages.
  const extension = /\.([a-z]+)(?:\.gz)?"?$/i.exec(name)?.[1]?.toLowerCase();
  const start = sample.trimStart();
  if (isSheet || extension === 'csv' || extension === 'tsv' || extension === 'tab') {
    const { isAddressLines, isAddressSheet } = await import('./csv/detect-dialect.js');
    return (isSheet ? isAddressSheet : isAddressLines)(sample, charset) ? 'lines' : 'csv';
  }
  if (extension === 'ndjson' || extension === 'jsonl') return 'ndjson';
  // No address starts with a bracket, so a list that does is JSON.
  if (/^\[\s*(?:["{[\]\d]|true|false|null|$)/.test(start)) return 'json';
  if (start.startsWith('{')) return isJson(firstLine(start)) && !isOneObject(start) ? 'ndjson' : 'json';
  if (extension === 'json') return start.startsWith('"') ? 'ndjson' : 'json';
  if (textUnfolding(sample) !== null) return 'text';
  if (sepLine(sample) !== null || isEmailHeading(charset.show(firstLine(sample)))) return 'csv';
  if (!delimiters.some((delimiter) => sample.includes(delimiter))) return 'lines';
  const { looksTabular } = await import('./csv/detect-dialect.js');
  return looksTabular(sample, charset) ? 'csv' : 'lines';
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
