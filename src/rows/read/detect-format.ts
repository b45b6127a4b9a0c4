import type { InputFormat } from '../rows.js';
import { delimiters, firstLine, sepLine, startsWithEmailHeading } from './csv/csv-hints.js';
import { textKind } from './find-addresses.js';
import { findInnerList } from './json/find-inner-list.js';

/** The format of a list by the extension of its name, otherwise by its content. Only a possible CSV loads the CSV parser. */
export async function detectFormat(sample: string, name: string): Promise<InputFormat> {
  const ending = /\.([a-z]+)(?:\.gz)?"?$/i.exec(name)?.[1]?.toLowerCase();
  const start = sample.trimStart();
  if (ending === 'csv' || ending === 'tsv' || ending === 'tab') {
    const { isAddressLines } = await import('./csv/sniff-csv.js');
    return isAddressLines(sample) ? 'lines' : 'csv';
  }
  if (ending === 'ndjson' || ending === 'jsonl') return 'ndjson';
  // An address literal's bracket never comes first, so a list that starts with one is JSON.
  if (/^\[\s*(?:["{[\]\d]|true|false|null|$)/.test(start)) return 'json';
  if (start.startsWith('{')) return isJson(firstLine(start)) && !isOneObject(start) ? 'ndjson' : 'json';
  if (ending === 'json') return start.startsWith('"') ? 'ndjson' : 'json';
  return textKind(sample) === null && (await looksTabular(sample)) ? 'csv' : 'lines';
}

async function looksTabular(sample: string): Promise<boolean> {
  if (sepLine(sample) !== null) return true;
  if (!delimiters.some((delimiter) => sample.includes(delimiter))) return startsWithEmailHeading(sample);
  const csv = await import('./csv/sniff-csv.js');
  return csv.looksTabular(sample);
}

/** A lone line with a list within: `{"contacts":[…]}`. */
function isOneObject(text: string): boolean {
  return firstLine(text.trimEnd()) === text.trimEnd() && findInnerList(text) !== null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
