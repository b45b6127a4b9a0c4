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
export interface OpenRowsOptions extends CsvOptions, ReadOptions {
  format?: InputFormat;
  /** An encoding of TextDecoder. */
  encoding?: string;
  /** The user's language, for cells that are not UTF-8. */
  language?: string;
  /** True: an empty input is a list without addresses, not a Failure. */
  mayBeEmpty?: boolean;
}

/** A table that may have no email column. */
export interface CsvTable extends Omit<RowSource, 'emailColumn'> {
  /** Null if neither a name nor the content indicates one. */
  emailColumn: number | null;
}

/** Opens a list in any of the formats, compressed with gzip or not, and streams its rows. Errors are Failures. */
export async function openRows(input: Input, options: OpenRowsOptions = {}): Promise<RowSource> {
  return openWith(input, options, async (text) => {
    const isEmptyList = options.mayBeEmpty === true && isBlank(text);
    const format = isEmptyList ? 'lines' : await chooseFormat(text, text.name, options);
    return requireEmailColumn(await openAs(text, format, isEmptyList ? {} : options));
  });
}

/** What a caller may set about a table. */
interface OpenTableOptions extends CsvOptions, ReadOptions, FileReading {
  /** The original name of a stored file: its extension determines the format. */
  filename?: string;
  /** The column, but only of a JSON list. */
  field?: string;
}

/** Opens a list of any format as a table. Plain lines and text have one column, `email`. */
export async function openTable(input: Input, options: OpenTableOptions = {}): Promise<CsvTable> {
  return openWith(input, options, async (text) => {
    const { column, filename = text.name, field, limit, ...others } = options;
    // The column name of plain lines does not imply that there are columns.
    const named = column === undefined || column === lineColumn ? others : { ...others, column };
    const format = await chooseFormat(text, filename, named);
    const name = column ?? (format === 'json' || format === 'ndjson' ? field : undefined);
    const budget = limit === undefined ? undefined : { left: limit };
    const table = await openAs(text, format, {
      ...others,
      ...(name !== undefined && { column: name }),
      ...(budget && { budget }),
    });
    return budget === undefined ? table : limited(table, budget);
  });
}

/** Opens an uploaded file to read the addresses of the chosen column. */
export async function openUpload(
  path: string,
  options: OpenTableOptions & { column: string; filename: string },
): Promise<RowSource> {
  // Messages show the name that the user knows, not the stored path.
  const table = await openTable({ path, name: options.filename }, options);
  return table.emailColumn === null ? table.close().then(() => requireEmailColumn(table)) : requireEmailColumn(table);
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

async function openWith<Source>(
  input: Input,
  options: OpenRowsOptions,
  open: (text: TextSource) => Promise<Source>,
): Promise<Source> {
  const text = await openText(input, options);
  try {
    if (options.mayBeEmpty !== true && isBlank(text)) {
      const sentence = `${text.name} is empty.`;
      const message = sentence.charAt(0).toUpperCase() + sentence.slice(1);
      throw new Failure('bad_input', message, { hint: 'Give at least one address.' });
    }
    return await open(text);
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

async function openAs(text: TextSource, format: InputFormat, options: CsvOptions): Promise<CsvTable> {
  if (format === 'lines' || format === 'text') return openLines(text, format, options.budget);
  if (format !== 'csv') return openJson(text, format, options);
  const { openCsv } = await import('./read/csv/open-csv.js');
  return openCsv(text, options);
}

function requireEmailColumn(table: CsvTable): RowSource {
  if (table.emailColumn !== null) return { ...table, emailColumn: table.emailColumn };
  throw new Failure('bad_input', 'No column looks like email addresses.', {
    hint: `Name one with --column NAME or NUMBER. The columns are: ${listColumns(table.columns)}.`,
  });
}

function isBlank({ isComplete: complete, sample }: TextSource): boolean {
  return complete && /^[\s\0]*$/.test(sample);
}

async function chooseFormat(
  text: TextSource,
  name: string,
  { format, column, header }: Pick<OpenRowsOptions, 'format' | 'column' | 'header'>,
): Promise<InputFormat> {
  if ((format === 'lines' || format === 'text') && column !== undefined) {
    throw new Failure('usage', 'Plain lines have no columns to choose from.', {
      hint: 'Leave out --column, or use --input csv.',
    });
  }
  const chosen = format ?? (await detectFormat(text, name));
  // An option about columns or a header implies a table.
  const impliesColumns = column !== undefined || header !== undefined;
  return chosen === 'lines' && format === undefined && impliesColumns ? 'csv' : chosen;
}
