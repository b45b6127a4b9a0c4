import type { InputFormat } from '../rows.js';
import { isAddressLines, looksTabular } from './csv/sniff-csv.js';
import { textKind } from './find-addresses.js';
import { findInnerList } from './json/find-inner-list.js';

/** The format of a list, by the ending of its name, and then by what is in it. */
export function detectFormat(sample: string, name: string): InputFormat {
  const ending = /\.([a-z]+)(?:\.gz)?"?$/i.exec(name)?.[1]?.toLowerCase();
  const start = sample.trimStart();
  if (ending === 'csv' || ending === 'tsv' || ending === 'tab') return isAddressLines(sample) ? 'lines' : 'csv';
  if (ending === 'ndjson' || ending === 'jsonl') return 'ndjson';
  // An address literal's bracket never comes first, so a list that starts with one is JSON.
  if (/^\[\s*(?:["{[\]\d]|true|false|null|$)/.test(start)) return 'json';
  if (start.startsWith('{')) return isJson(firstLine(start)) && !isOneObject(start) ? 'ndjson' : 'json';
  if (ending === 'json') return start.startsWith('"') ? 'ndjson' : 'json';
  return textKind(sample) === null && looksTabular(sample) ? 'csv' : 'lines';
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

function firstLine(text: string): string {
  const end = text.search(/[\r\n]/);
  return end === -1 ? text : text.slice(0, end);
}
