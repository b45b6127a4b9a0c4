import { type CsvOptions, openRecords } from '../csv/open-csv.js';
import type { TextSource } from '../decode/open-text.js';
import { columnsByName } from '../email-column.js';
import { createLdifScanner } from './scan-ldif.js';
import { createVcardScanner } from './scan-vcard.js';

const scanners = { vcard: createVcardScanner, ldif: createLdifScanner };

/** The formats of address books. */
export type BookFormat = keyof typeof scanners;

const columns = ['name', 'email'];
const defaultEmailColumns = [1];

/** Reads an address book as a table of names and addresses. */
export function openBook(text: TextSource, format: BookFormat, options: CsvOptions) {
  const named = options.column === undefined ? defaultEmailColumns : columnsByName(options.column, columns);
  const layout = {
    columns,
    emailColumns: options.columns ?? named,
    delimiter: ',',
    lineEnd: '\n',
    hasHeader: false,
    headerText: undefined,
    preamble: '',
    skip: 0,
    headRecords: 0,
    junkRecords: 0,
    alternativeColumn: null,
  };
  return openRecords(text, format, { layout, scanner: scanners[format]() }, options);
}
