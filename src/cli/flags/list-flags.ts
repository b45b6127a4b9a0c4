import { type Command, Option } from 'commander';
import type { OpenRowsOptions } from '../../rows/open-rows.js';
import type { InputFormat } from '../../rows/rows.js';
import { groups } from './flags.js';
import { parseCount } from './parse-values.js';

/** What the flags say about a list, and how its cells are written back. */
export interface ListOptions
  extends Pick<OpenRowsOptions, 'format' | 'column' | 'encoding' | 'header' | 'skipRows' | 'splitCells'> {
  /** Leave all cells alone, even those that a spreadsheet would run. */
  raw: boolean;
}

const allFormats: readonly InputFormat[] = ['lines', 'csv', 'json', 'ndjson', 'text'];

/** Adds the flags that say how a list is written, and how its cells are written back. */
export function addListFlags(command: Command, formats: readonly InputFormat[] = allFormats): Command {
  command
    .optionsGroup(groups.input)
    .addOption(new Option('--input <format>', 'format of the list (default: detected)').choices([...formats]))
    .option('--column <name>', 'column with the addresses, by name or number; several with commas (default: detected)')
    .option('--encoding <name>', 'character encoding, e.g. windows-1250, shift_jis (default: detected line by line)')
    .option('--no-header', 'the first row of a CSV is data')
    .option('--skip-rows <n>', 'how many lines to skip above the header', parseCount(0))
    .option('--split-cells', 'vet each address of a cell that holds several, as a row of its own');
  return addRawFlag(command);
}

/** Adds the flag that leaves cells alone. */
export function addRawFlag(command: Command): Command {
  return command.option('--raw', "write cells as they are, without the ' that keeps a spreadsheet from running them");
}

/** Reads those flags. */
export function readListFlags(flags: Record<string, unknown>): ListOptions {
  const { input, column, encoding, skipRows } = flags;
  return {
    ...(typeof input === 'string' && { format: input as InputFormat }),
    ...(typeof column === 'string' && { column }),
    ...(typeof encoding === 'string' && { encoding }),
    ...(typeof skipRows === 'number' && { skipRows }),
    // Commander gives every --no-x flag the value true; only false was said.
    ...(flags['header'] === false && { header: false }),
    ...(flags['splitCells'] === true && { splitCells: true }),
    raw: flags['raw'] === true,
  };
}
