import type { Row } from '../../rows.js';
import { createCsvScanner } from './scan-csv.js';

const firstPieceChars = 8 * 1024;

/** A sample's first records; it is read no further than that takes. `isCut`: the last one may go on behind it. */
export function sampleRecords(
  sample: string,
  delimiter: string,
  { most, isCut = false }: { most: number; isCut?: boolean },
): Row[] {
  const scanner = createCsvScanner(delimiter);
  const records: Row[] = [];
  let at = 0;
  // Each piece is as long as all before it: a record that spans many is looked at again with each of them.
  for (let end = firstPieceChars; at < sample.length && records.length < most; end *= 2) {
    records.push(...scanner.push(sample.slice(at, end)));
    at = end;
  }
  if (records.length < most) records.push(...(isCut ? scanner.push('') : scanner.end()));
  // Whether a line feed comes behind a carriage return makes no difference to the record before them.
  if (records.length === 0 && sample.endsWith('\r')) records.push(...scanner.end());
  return records.slice(0, most);
}
