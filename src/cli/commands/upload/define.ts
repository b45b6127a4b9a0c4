import type { Command } from 'commander';
import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import { engineSettings } from '../../../settings/definitions.js';
import type { Launch } from '../../context.js';
import {
  addBackEndFlags,
  addCommonFlags,
  addInPlaceFlag,
  addOutputFlags,
  addSettingFlags,
  examples,
} from '../../flags/flags.js';
import { addGuardFlags, readGuardFlags } from '../../flags/guard-flags.js';
import { addListFlags, type ListOptions, readListFlags } from '../../flags/list-flags.js';
import { readJobOutput } from '../../flags/output-flags.js';
import { parseAge, parseCount } from '../../flags/parse-values.js';
import {
  addPickFlags,
  addReviewFlags,
  type PickOptions,
  readPickFlags,
  readReviewFlags,
} from '../../flags/review-flags.js';

/** What becomes a job; anything else is for `bulk`. */
const uploadFormats = ['lines', 'csv', 'text'] as const;

/** `upload <file.csv>`: preview, confirm, and a job that survives. */
export function defineUpload(program: Command, launch: Launch): void {
  const command = program
    .command('upload')
    .summary('upload a CSV file as a background job')
    .description(
      'Shows what is in a CSV file and, once you agree, vets it as a job. The job runs in the background and survives being\n' +
        'killed; --wait runs it here, with a progress bar, and -o saves its results.',
    )
    .argument('<files...>', 'the CSV file, plain or gzipped')
    .option('-y, --yes', 'do not ask')
    .option('--wait', 'run the job here until it is done')
    .option('--rejects <file>', 'with --wait: write the rows that --only leaves out to this file')
    .option(
      '--max-age <time>',
      'reuse earlier verdicts up to this age, e.g. 30d; unknown ones are checked again sooner',
      parseAge,
    )
    .option('--only-unknown', 'reuse every earlier verdict that is not unknown');
  command
    .option(
      '--max-rows <n>',
      'remote only: rows in one file; a longer file is sent in parts (default: 10000)',
      parseCount(1),
    )
    .option('--part <numbers>', 'remote only: send just these parts, e.g. 2,5', parseParts)
    .option('--retry-billable', 'remote only: also retry requests that may already have been charged');
  addListFlags(command, uploadFormats);
  addPickFlags(command);
  addReviewFlags(command);
  addGuardFlags(command);
  addOutputFlags(command);
  addInPlaceFlag(command);
  addSettingFlags(command, [...engineSettings, 'store']);
  addBackEndFlags(command);
  addCommonFlags(command);
  command.addHelpText('after', help);
  command.action((files: string[], flags: Record<string, unknown>) =>
    launch(flags, async (context) => {
      const { runUpload } = await import('./run-local.js');
      const path = onlyOne(files);
      const list = readListFlags(flags);
      return runUpload(context, {
        // Its bytes are kept before they are looked at, as those of any pipe.
        path: path === '-' ? '/dev/stdin' : path,
        column: list.column,
        reading: readingOf(list, readPickFlags(flags)),
        raw: list.raw,
        yes: flags['yes'] === true,
        wait: flags['wait'] === true,
        output: await readJobOutput(flags, path === '-' ? null : path),
        guards: await readGuardFlags(flags),
        review: readReviewFlags(flags),
        maxAgeMs: flags['maxAge'] as number | undefined,
        onlyUnknown: flags['onlyUnknown'] === true,
        maxRows: flags['maxRows'] as number | undefined,
        parts: flags['part'] as number[] | undefined,
        retryBillable: flags['retryBillable'] === true,
      });
    }),
  );
}

function onlyOne([path = '', ...others]: readonly string[]): string {
  if (others.length === 0) return path;
  throw new Failure('usage', 'upload takes one file at a time: each becomes a job of its own.', {
    hint: 'Upload them one by one, or vet them in one run with: mailvet bulk FILE FILE',
  });
}

/** As much of what the flags say as is kept with the upload. */
function readingOf({ format, column: _, raw: __, ...list }: ListOptions, { limit, sample }: PickOptions): FileReading {
  const known = uploadFormats.find((each) => each === format);
  return {
    ...list,
    ...(known !== undefined && { format: known }),
    ...(limit !== undefined && { limit }),
    ...(sample !== undefined && { sample: { rows: sample, seed: Math.floor(Math.random() * 2 ** 31) } }),
  };
}

function parseParts(text: string): number[] {
  return text.split(',').map((part) => parseCount(1)(part.trim()));
}

const help = `${examples(
  ['mailvet upload list.csv', 'look at it, agree, and let it run'],
  ['mailvet upload list.csv --wait -o vetted.csv', 'wait for it, every column kept'],
  ['mailvet upload list.csv --yes --wait -o clean.csv --rejects bad.csv', 'sort it'],
  ['mailvet upload list.csv -y --wait --max-age 30d -o out.csv --since out.csv', 'every night'],
)}

Exit status: 0 done, 1 a guard tripped (--fail-on …), 2 usage or unreadable
file, 3 key or credits, 4 network, 5 not found, 6 storage or already running,
130 interrupted (the job stays and goes on with: mailvet jobs resume ID).`;
