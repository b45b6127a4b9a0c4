import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { Failure } from '../../../model/failure.js';
import { statuses } from '../../../model/verdict.js';
import { type Launch, lazyLaunch } from '../../context.js';
import { addServiceFlags, examples, type RawFlags } from '../../flags/flags.js';
import {
  addInputFlags,
  addResultFlags,
  addRunFlags,
  readListFlags,
  readResultFlags,
  readRunFlags,
} from '../../flags/list-flags.js';
import { readOutputFlags } from '../../flags/output-flags.js';

/** `bulk [file|-]`: vets a list of any length. Results stream in input order. */
export function defineBulk(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('bulk')
    .summary('vet a list of any length')
    .description(
      'Vets a list: lines, CSV, Excel (xlsx), JSON, NDJSON or any text, plain or gzipped, from a file or stdin.\n' +
        'Results stream in input order.\n' +
        'A pipe gets NDJSON; --json prints one summary with the results in it; CSV keeps every input column.',
    )
    .argument('[files...]', 'the list, or several with the same columns; - or nothing reads stdin');
  addRunFlags(addInputFlags(command)).option('--dry-run', 'what it would ask, and what it would cost');
  addServiceFlags(addResultFlags(command), { isBrief: false })
    .addHelpText('after', help)
    .action((files: string[], flags: RawFlags) =>
      run(flags, async (context, { runBulk }) => {
        const paths = pathsOf(files);
        return runBulk(context, {
          paths,
          namesStdin: files.includes('-'),
          output: await readOutputFlags(flags),
          list: readListFlags(flags),
          run: readRunFlags(flags),
          ...(await readResultFlags(flags)),
          dryRun: flags['dryRun'] === true,
        });
      }),
    );
}

function pathsOf(files: readonly string[]): readonly string[] {
  const status = files.find((file) => [...statuses, 'empty'].includes(file) && !existsSync(file));
  if (status !== undefined) {
    throw new Failure('usage', `There is no file ${status}; several statuses are joined by commas.`, {
      hint: `Write for instance: --only valid,${status}`,
    });
  }
  if (!files.includes('-')) return files;
  if (files.length === 1) return [];
  throw new Failure('usage', 'Standard input (-) cannot be one of several lists.', {
    hint: 'Save it to a file first, and name that.',
  });
}

const help = `${examples(
  ['mailvet bulk list.csv -o vetted.csv', 'every column kept, five added'],
  ['mailvet bulk list.csv -o vetted.csv --max-age 30d', 'ask only what is older, or was unknown'],
  ['mailvet bulk list.csv -o new.csv --max-unknown 20% -q', 'for a nightly job'],
  ['mailvet bulk list.txt --level syntax --json', 'one summary, offline'],
  ['cat list.txt | mailvet bulk --format plain --only valid', 'a filter, like grep'],
  ['zcat -f *.gz | mailvet bulk - --fields email,status', 'NDJSON with two fields'],
)}

Exit status: 0 done, 1 a guard tripped (--fail-on …), 2 usage or unreadable
input, 3 key or credits, 4 network, 6 storage or already running, 130
interrupted (the same command goes on).`;
