import { amount } from '../../model/amount.js';
import type { Row } from '../rows.js';
import type { OddLines } from './decode/decoder.js';
import { usual } from './decode/guess-encoding.js';
import type { TextSource } from './decode/open-text.js';

/** Turns text, handed over in any pieces, into rows. */
export interface RowScanner {
  push(text: string): Row[];
  end(): Row[];
  /** The number, from 1, of the first record whose quote is never closed. */
  openQuote?(): number | null;
  /** How many lines were so long that only their beginning was read. */
  cut?(): number;
  /** How many lines of NDJSON were no JSON. */
  broken?(): number;
  /** How many lines were no rows: empty ones and, in a list of lines, comments. */
  passedOver(): number;
}

/** Feeds a text to a scanner, and knows in which row each trouble was. */
export function pumpRows(text: TextSource, scanner: RowScanner, skip = 0) {
  let given = 0;
  let rows = 0;
  let oddRow: number | null = null;
  const push = (piece: string): Row[] => {
    const odd = text.odd();
    const at = odd === null || oddRow !== null ? -1 : odd.firstAt - given;
    given += piece.length;
    if (at < 0 || at > piece.length) return counted(scanner.push(piece));
    const before = counted(scanner.push(piece.slice(0, at)));
    oddRow = rows + 1;
    return [...before, ...counted(scanner.push(piece.slice(at)))];
  };
  const counted = (found: Row[]): Row[] => {
    rows += found.length;
    return found;
  };
  let ended = false;
  const end = (): Row[] => {
    if (ended) return [];
    ended = true;
    return counted(scanner.end());
  };
  given = skip;
  text.skip(skip);
  return {
    /** The rows of the sample, for whoever needs them before any is handed on; what is read is what is behind them. */
    takeSample(): Row[] {
      text.skip(text.sample.length);
      const first = push(text.sample.slice(skip));
      if (text.complete) first.push(...end());
      return first;
    },
    /** What is read, with the rows of the sample before it where they were taken. */
    source(toRows: (records: Row[]) => Row[], sample: Row[] = []) {
      return {
        totalBytes: text.totalBytes,
        bytesRead: text.bytesRead,
        chunks: readOn(
          text,
          sample,
          (piece) => toRows(push(piece)),
          () => toRows(end()),
        ),
        notes: () => troubles(text, oddRow, scanner).notes,
        warnings: () => troubles(text, oddRow, scanner).warnings,
        close: text.close,
      };
    },
  };
}

/** Apart: a generator made within another function keeps all that it sees alive until old memory is collected. */
async function* readOn(
  text: TextSource,
  sample: Row[],
  rowsIn: (piece: string) => Row[],
  last: () => Row[],
): AsyncGenerator<Row[]> {
  try {
    // Taken out: whoever reads on slowly is not to hold the beginning all the while.
    if (sample.length > 0) yield sample.splice(0);
    for (let piece = await text.read(); piece !== null; piece = await text.read()) {
      const found = rowsIn(piece);
      if (found.length > 0) yield found;
    }
    const rest = last();
    if (rest.length > 0) yield rest;
  } finally {
    await text.close();
  }
}

/** A list that is all in one old encoding is only noted; what is a guess for some of its rows, nobody should miss. */
function troubles(text: TextSource, oddRow: number | null, scanner: RowScanner) {
  const notes: string[] = [];
  const warnings: string[] = [];
  const odd = text.odd();
  if (odd !== null) {
    const isPlain = odd.readAs !== null && odd.sure && odd.strangers === 0 && !text.sound();
    (isPlain ? notes : warnings).push(oddNote(odd, oddRow ?? 1, text.sound()));
  }
  const openQuote = scanner.openQuote?.() ?? null;
  if (openQuote !== null) {
    warnings.push(`Row ${openQuote} opens a quote (") that is never closed; it was read as text.`);
  }
  const broken = scanner.broken?.() ?? 0;
  if (broken > 0) {
    warnings.push(
      `${amount(broken, 'line is', 'lines are')} not JSON, judged as ${broken === 1 ? 'it stands' : 'they stand'}.`,
    );
  }
  const cut = scanner.cut?.() ?? 0;
  if (cut > 0) {
    const lines = cut === 1 ? '1 line is' : `${amount(cut, 'line')} are`;
    warnings.push(`${lines} longer than any list has them; only the beginning was read.`);
  }
  return { notes, warnings };
}

/** What was made of lines that are not what the rest is. */
function oddNote({ lines, readAs, sure, strangers }: OddLines, row: number, isMixed: boolean): string {
  const which = lines === 1 ? `Row ${row}` : `${amount(lines, 'line')} (the first is row ${row})`;
  if (readAs === null) {
    return `${which} ${lines === 1 ? 'holds' : 'hold'} bytes that could not be decoded; \ufffd stands in their place. Name another encoding with --encoding.`;
  }
  const rest = isMixed ? ', while other rows are UTF-8' : '';
  const doubt = sure ? '' : ', though they look like another encoding';
  const others = strangers === 0 ? '' : ` ${amount(strangers, 'of them was', 'of them were')} read as ${usual}.`;
  return `${which} ${lines === 1 ? 'is' : 'are'} not UTF-8 and ${lines === 1 ? 'was' : 'were'} read as ${readAs}${rest}${doubt}.${others} If that is wrong, name the encoding with --encoding.`;
}
