import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { Failure } from '../../../model/failure.js';
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
import { addListFlags, readListFlags } from '../../flags/list-flags.js';
import { readListOutput } from '../../flags/output-flags.js';
import { parseCount } from '../../flags/parse-values.js';
import { addPickFlags, addReviewFlags, readPickFlags, readReviewFlags } from '../../flags/review-flags.js';

const statusWords = ['valid', 'invalid', 'risky', 'unknown', 'empty'];

/** `bulk [file|-]`: a list of any length, streaming, in input order. */
export function defineBulk(program: Command, launch: Launch): void {
  const command = program
    .command('bulk')
    .summary('vet a list of any length')
    .description(
      'Vets a list: lines, CSV, a JSON array or NDJSON, plain or gzipped, from a file or stdin. Results stream in input order.\n' +
        'A pipe gets NDJSON; --json prints one summary with the results in it; CSV keeps every input column.',
    )
    .argument('[files...]', 'the list, or several with the same columns; - or nothing reads stdin')
    .option('--resume <file>', 'go on from an earlier run to this output: nothing it answered is asked again')
    .option(
      '--only-unknown',
      'with --resume: ask again for what that output calls unknown, also if its run was finished',
    )
    .option('--dry-run', 'remote only: show what it would take in requests and credits, and send nothing')
    .option('--max-credits <n>', 'remote only: spend no more credits than this', parseCount(0, 999_999_999_999))
    .option('--retry-billable', 'remote only: also retry requests that may already have been charged');
  addListFlags(command);
  addPickFlags(command);
  addReviewFlags(command);
  addGuardFlags(command);
  addOutputFlags(command);
  addInPlaceFlag(command);
  addSettingFlags(command, engineSettings);
  addBackEndFlags(command);
  addCommonFlags(command);
  command.addHelpText('after', help);
  command.action((files: string[], flags: Record<string, unknown>) =>
    launch(flags, async (context) => {
      const { runBulk } = await import('./run.js');
      const paths = pathsOf(files);
      return runBulk(context, {
        paths,
        namesStdin: files.includes('-'),
        output: await readListOutput(flags, paths[0] ?? null),
        list: readListFlags(flags),
        guards: await readGuardFlags(flags),
        review: { ...readReviewFlags(flags), ...readPickFlags(flags) },
        resume: flags['resume'] as string | undefined,
        onlyUnknown: flags['onlyUnknown'] === true,
        remote: {
          dryRun: flags['dryRun'] === true,
          maxCredits: flags['maxCredits'] as number | undefined,
          retryBillable: flags['retryBillable'] === true,
        },
      });
    }),
  );
}

function pathsOf(files: readonly string[]): readonly string[] {
  const status = files.find((file) => statusWords.includes(file) && !existsSync(file));
  if (status !== undefined) {
    throw new Failure('usage', `There is no file ${status}; several statuses are joined by commas.`, {
      hint: `Write for instance: --only valid,${status}`,
    });
  }
  if (!files.includes('-')) return files;
  if (files.length === 1) return [];
  throw new Failure('usage', 'Standard input (-) cannot be one of several lists.', {
    hint: 'Save it to a file first, or use: cat FILE - | mailvet bulk',
  });
}

const help = `${examples(
  ['mailvet bulk list.csv -o vetted.csv', 'every column kept, five added'],
  ['mailvet bulk list.csv -o vetted.csv --resume vetted.csv', 'go on after Ctrl-C or a crash'],
  ['mailvet bulk list.csv -o vetted.csv --resume vetted.csv --only-unknown', 'ask again where nobody answered'],
  ['mailvet bulk list.csv -o vetted.csv --max-unknown 20% --min-rows 1000 -q', 'for a nightly job'],
  ['mailvet bulk list.txt --level syntax --json', 'one summary, offline'],
  ['cat list.txt | mailvet bulk --format plain --only valid', 'a filter, like grep'],
  ['zcat -f *.gz | mailvet bulk - --fields email,status', 'NDJSON with two fields'],
)}

Exit status: 0 done, 1 a guard tripped (--fail-on …), 2 usage or unreadable
input, 3 key or credits, 4 network, 6 storage, 130 interrupted.`;
