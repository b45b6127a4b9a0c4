import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatAmount } from '../../model/amount.js';
import type { OpenRowsOptions } from '../../rows/open-rows.js';
import type { InputFormat } from '../../rows/rows.js';
import {
  addOutputFlags,
  addSettingFlags,
  collectValues,
  groups,
  parseAge,
  parseCount,
  type RawFlags,
} from './flags.js';
import type { Guards } from './guards.js';

/** How a list is read, and how much of it. */
export interface ListOptions extends Pick<OpenRowsOptions, 'format' | 'column' | 'encoding' | 'sheet' | 'header'> {
  limit?: number;
}

const formats: readonly InputFormat[] = ['lines', 'csv', 'json', 'ndjson', 'text'];

/** Adds the flags of a command that reads a list. */
export function addInputFlags(command: Command): Command {
  return command
    .optionsGroup(groups.input)
    .addOption(new Option('--input <format>', 'format of the list (default: detected)').choices([...formats]))
    .option('--column <name>', 'where the addresses are, by name or number (default: detected)')
    .option('--encoding <name>', 'character encoding, e.g. windows-1250, shift_jis (default: UTF-8 or UTF-16)')
    .option('--sheet <name>', 'sheet of an Excel workbook (default: the first)')
    .option('--header <row>', 'row of the header of a CSV, or none (default: detected)', (text) =>
      text === 'none' ? 0 : parseCount(1, 1_000, ', or none')(text),
    )
    .option('--limit <n>', 'only this many rows from the start', parseCount(0));
}

export function readListFlags(flags: RawFlags): ListOptions {
  const { input, column, encoding, sheet, header, limit } = flags;
  return {
    ...(typeof input === 'string' && { format: input as InputFormat }),
    ...(typeof column === 'string' && { column }),
    ...(typeof encoding === 'string' && { encoding }),
    ...(typeof sheet === 'string' && { sheet }),
    ...(typeof header === 'number' && { header }),
    ...(typeof limit === 'number' && { limit }),
  };
}

/** How results are sorted and counted. */
export interface ReviewOptions {
  summary: string | undefined;
  clean: boolean;
  /** Leave out all but the first row of each mailbox. */
  dedupe: boolean;
}

/** Adds the flags of a command that writes the results of a list. */
export function addResultFlags(command: Command, texts?: Parameters<typeof addOutputFlags>[1]): Command {
  return addOutputFlags(command, texts)
    .option('--summary <file>', 'write the figures as JSON; .prom: for Prometheus')
    .option('--clean', 'three files: NAME.clean.csv, .review.csv, .rejected.csv')
    .option('--dedupe', 'keep the first row of each mailbox')
    .optionsGroup(groups.guards)
    .option('--fail-on <statuses>', 'keep the old output if a row is, e.g., invalid,risky; status 1')
    .option('--max-unknown <share>', 'keep the old output if more is unknown, e.g. 20%', parseShare);
}

/** How a run treats answers that are known, and what it may spend. */
export interface RunOptions {
  /** Ask everything, also what an interrupted run has answered. */
  fresh: boolean;
  /** Reuse answers of earlier runs that are no older. */
  maxAgeMs: number | null;
  /** Suppression lists. */
  exclude: readonly string[];
  /** Remote: the most credits that may be spent. */
  maxCredits: number | undefined;
}

/** Adds the flags of a command that runs a list. */
export function addRunFlags(command: Command): Command {
  command.optionsGroup(groups.run);
  return addSettingFlags(command, ['level', 'concurrency', 'greylistWaitMs'])
    .option('--max-age <time>', 'reuse answers that are no older, e.g. 30d; never unknown', parseAge)
    .addOption(new Option('--fresh', 'ask everything again, also what is known').conflicts('maxAge'))
    .option('--exclude <file>', 'suppression list: its rows are not vetted (repeatable)', collectValues)
    .option('--max-credits <n>', 'remote and hybrid: spend no more credits than this', parseCount(0, 999_999_999_999));
}

export function readRunFlags({ fresh, maxAge, exclude, maxCredits }: RawFlags): RunOptions {
  return {
    fresh: fresh === true,
    maxAgeMs: typeof maxAge === 'number' ? maxAge : null,
    exclude: Array.isArray(exclude) ? (exclude as string[]) : [],
    maxCredits: typeof maxCredits === 'number' ? maxCredits : undefined,
  };
}

export async function readResultFlags(flags: RawFlags): Promise<{ review: ReviewOptions; guards: Guards }> {
  const { failOn, maxUnknown } = flags;
  const review = {
    summary: flags['summary'] as string | undefined,
    clean: flags['clean'] === true,
    dedupe: flags['dedupe'] === true,
  };
  const guards = {
    failOn:
      typeof failOn === 'string'
        ? (await import('./status-and-field-lists.js')).parseOnly('--fail-on', failOn)
        : new Set<string>(),
    maxUnknown: typeof maxUnknown === 'number' ? maxUnknown : null,
  };
  return { review, guards };
}

/** A share such as 20%, as 0..1. */
export function parseShare(text: string): number {
  const match = /^(?:(\d{1,3}(?:\.\d{1,6})?)\s*%|0)$/.exec(text.trim());
  const share = match === null ? Number.NaN : Number(match[1] ?? 0) / 100;
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError('Allowed: a share from 0% to 100%, such as 20%.');
}

/** A number of rows, or a share of another list. */
export function parseMinRows(text: string): number | { share: number } {
  return text.trim().endsWith('%')
    ? { share: parseShare(text) }
    : parseCount(0, undefined, ', or a share such as 80%')(text);
}

/** Says how many addresses were left out by `--exclude`; null for none. */
export function suppressedNote(count = 0): string | null {
  return count === 0
    ? null
    : `${formatAmount(count, 'address is', 'addresses are')} on a list of --exclude, and not vetted.`;
}
