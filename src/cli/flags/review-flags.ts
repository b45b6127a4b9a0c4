import type { Command } from 'commander';
import { Failure } from '../../model/failure.js';
import { parseCount } from './parse-values.js';

/** What the results of a list are compared with, and where the figures go. */
interface ChangeOptions {
  /** An earlier output to compare with. */
  since: string | undefined;
  onlyChanged: boolean;
  /** A file for the figures. */
  summary: string | undefined;
  /** A file for the same as a page for people. */
  report: string | undefined;
}

/** What is done with results beside writing them. */
export interface ReviewOptions extends ChangeOptions {
  /** Sort the rows into three files. */
  clean: boolean;
  /** Keep the first row of each mailbox. */
  dedupe: boolean;
  /** Apply corrections that are sure. */
  fix: boolean;
}

/** How much of a list is vetted. */
export interface PickOptions {
  limit: number | undefined;
  sample: number | undefined;
}

function addChangeFlags(command: Command): Command {
  return command
    .option('--since <file>', 'an earlier output: a column says what changed (new, same, valid→invalid)')
    .option('--only-changed', 'with --since: only what changed, and what is gone')
    .option('--summary <file>', 'write the figures as JSON or, for .prom, as Prometheus text')
    .option(
      '--report <file>',
      'write a page for people (HTML): charts, reasons, domains, and the rows that are not valid',
    );
}

function readChangeFlags(flags: Record<string, unknown>): ChangeOptions {
  const wishes = {
    since: flags['since'] as string | undefined,
    onlyChanged: flags['onlyChanged'] === true,
    summary: flags['summary'] as string | undefined,
    report: flags['report'] as string | undefined,
  };
  if (wishes.onlyChanged && wishes.since === undefined) {
    throw new Failure('usage', '--only-changed needs something to compare with.', { hint: 'Add --since FILE.' });
  }
  return wishes;
}

/** Adds the flags that compare, count, sort and correct. */
export function addReviewFlags(command: Command): Command {
  return addChangeFlags(command)
    .option('--clean', 'sort the rows into NAME.clean.csv, NAME.review.csv and NAME.rejected.csv')
    .option('--dedupe', 'keep the first row of each mailbox')
    .option('--fix', 'correct a bad address where it is sure which one was meant; a column says so');
}

/** Reads those flags. */
export function readReviewFlags(flags: Record<string, unknown>): ReviewOptions {
  return {
    ...readChangeFlags(flags),
    clean: flags['clean'] === true,
    dedupe: flags['dedupe'] === true,
    fix: flags['fix'] === true,
  };
}

/** The earlier output that must stay whole, since only what changed is written. */
export function protectedOutput({ since, onlyChanged }: ChangeOptions): string | undefined {
  return onlyChanged ? since : undefined;
}

/** Refuses what a remote service would charge for. */
export function refusePaidFix({ fix }: ReviewOptions): void {
  if (!fix) return;
  throw new Failure('unsupported', '--fix asks again for what it corrects, which a remote service would charge for.', {
    hint: 'Add --local, or leave out --fix.',
  });
}

/** Adds the flags that shorten a list. */
export function addPickFlags(command: Command): Command {
  return command
    .option('--limit <n>', 'only this many rows from the start', parseCount(0))
    .option('--sample <n>', 'only this many rows, chosen at random', parseCount(0));
}

/** Reads those flags. */
export function readPickFlags(flags: Record<string, unknown>): PickOptions {
  const wishes = {
    limit: flags['limit'] as number | undefined,
    sample: flags['sample'] as number | undefined,
  };
  if (wishes.limit !== undefined && wishes.sample !== undefined) {
    throw new Failure('usage', '--limit and --sample contradict each other.', { hint: 'Give one of the two.' });
  }
  return wishes;
}
