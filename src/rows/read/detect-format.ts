import type { InputFormat } from '../rows.js';
import { delimiters, firstLine, sepLine, startsWithEmailHeading } from './csv/csv-hints.js';
import { findNestedList } from './json/find-nested-list.js';
import { textKind } from './text-kinds.js';

/** The format of a list by the extension of its name, otherwise by its content. Only a possible CSV loads the CSV parser. */
export async function detectFormat(sample: string, name: string): Promise<InputFormat> {
  // The name of a file is quoted for messages.
  const extension = /\.([a-z]+)(?:\.gz)?"?$/i.exec(name)?.[1]?.toLowerCase();
  const start = sample.trimStart();
  if (extension === 'csv' || extension === 'tsv' || extension === 'tab') {
    const { isAddressLines } = await import('./csv/detect-dialect.js');
    return isAddressLines(sample) ? 'lines' : 'csv';
  }
  if (extension === 'ndjson' || extension === 'jsonl') return 'ndjson';
  // No address starts with a bracket, so a list that does is JSON.
  if (/^\[\s*(?:["{[\]\d]|true|false|null|$)/.test(start)) return 'json';
  if (start.startsWith('{')) return isJson(firstLine(start)) && !isOneObject(start) ? 'ndjson' : 'json';
  if (extension === 'json') return start.startsWith('"') ? 'ndjson' : 'json';
  const kind = textKind(sample);
  return kind?.format ?? (kind === null && (await looksTabular(sample)) ? 'csv' : 'lines');
}

async function looksTabular(sample: string): Promise<boolean> {
  if (sepLine(sample) !== null) return true;
  if (!delimiters.some((delimiter) => sample.includes(delimiter))) return startsWithEmailHeading(sample);
  const csv = await import('./csv/detect-dialect.js');
  return csv.looksTabular(sample);
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
