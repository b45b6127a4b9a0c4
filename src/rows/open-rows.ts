import { formatAmount } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import type { FileReading } from '../model/service.js';
import type { CsvOptions } from './read/csv/open-csv.js';
import type { Input, ReadOptions } from './read/decode/byte-source.js';
import { openText, type TextSource } from './read/decode/open-text.js';
import { detectFormat } from './read/detect-format.js';
import { listColumns } from './read/email-column.js';
import { lineColumn, openJson, openLines } from './read/open-list.js';
import type { RowBudget } from './read/read-rows.js';
import type { InputFormat, RowSource } from './rows.js';

/** What a caller may set about an input; the rest is detected. For a JSON list, `column` is the name of a field. */
export interface OpenRowsOptions extends CsvOptions, ReadOptions, FileReading {
  /** The original name of a stored file: its extension determines the format. */
  filename?: string | undefined;
  /** True: an empty input is a list without addresses, not a Failure. */
  mayBeEmpty?: boolean | undefined;
}

/** A table that may have no email column. */
export interface CsvTable extends Omit<RowSource, 'emailColumn'> {
  /** Null if neither a name nor the content indicates one. */
  emailColumn: number | null;
}

/** Opens a list in any of the formats, compressed with gzip or not, and streams its rows. Errors are Failures. */
export async function openRows(input: Input, options: OpenRowsOptions = {}): Promise<RowSource> {
  const table = await openTable(input, options);
  if (table.emailColumn !== null) return { ...table, emailColumn: table.emailColumn };
  await table.close();
  throw new Failure('bad_input', 'No column looks like email addresses.', {
    hint: `Name one with --column NAME or NUMBER. The columns are: ${listColumns(table.columns)}.`,
  });
}

/** The same for a list that may have no email column. Plain lines and text have one column, `email`. */
export async function openTable(input: Input, options: OpenRowsOptions = {}): Promise<CsvTable> {
  const { limit, mayBeEmpty = false, budget = limit === undefined ? undefined : { left: limit }, ...reading } = options;
  const text = await openText(input, reading);
  try {
    const isBlank = text.isComplete && /^[\s\0]*$/.test(text.sample);
    if (isBlank && !mayBeEmpty) throw emptyInput(text.name);
    if (isBlank) return openLines(text, 'lines');
    const format = await chooseFormat(text, options);
    const table = await openAs(text, format, { ...reading, ...(budget && { budget }) });
    return limit === undefined || budget === undefined ? table : limited(table, budget);
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** The list, with a summary that says whether only its first rows were read. */
export function limited<Source extends CsvTable | RowSource>(source: Source, budget: RowBudget): Source {
  const rows = formatAmount(budget.left, 'row');
  const isCut = (): boolean => budget.left <= 0;
  const summarize = (): string | null => {
    const summary = source.summarize();
    return isCut() ? `--limit took the first ${rows}.${summary === null ? '' : ` ${summary}`}` : summary;
  };
  return { ...source, summarize, part: () => (isCut() ? `the first ${rows} (--limit)` : null) };
}

async function openAs(text: TextSource, format: InputFormat, options: CsvOptions): Promise<CsvTable> {
  if (format === 'lines' || format === 'text') return openLines(text, format, options.budget);
  if (format !== 'csv') return openJson(text, format, options);
  const { openCsv } = await import('./read/csv/open-csv.js');
  return openCsv(text, options);
}

async function chooseFormat(text: TextSource, options: OpenRowsOptions): Promise<InputFormat> {
  const { format, column, header, filename = text.name } = options;
  // The column of plain lines does not imply that there are columns.
  const hasColumn = column !== undefined && column !== lineColumn;
  if ((format === 'lines' || format === 'text') && hasColumn) {
    throw new Failure('usage', 'Plain lines have no columns to choose from.', {
      hint: 'Leave out --column, or use --input csv.',
    });
  }
  const chosen = format ?? (await detectFormat(text, filename));
  const impliesTable = hasColumn || header !== undefined;
  return chosen === 'lines' && format === undefined && impliesTable ? 'csv' : chosen;
}

function emptyInput(name: string): Failure {
  const sentence = `${name} is empty.`;
  return new Failure('bad_input', sentence.charAt(0).toUpperCase() + sentence.slice(1), {
    hint: 'Give at least one address.',
  });
}
