import type { Command } from 'commander';
import { Failure } from '../../../model/failure.js';
import { type Launch, lazyLaunch } from '../../context.js';
import { addFormatFlags, addOutputFlag, addServiceFlags, examples, type RawFlags } from '../../flags/flags.js';
import { addInputFlags, addRunFlags, readListFlags, readRunFlags } from '../../flags/list-flags.js';
import { readOutputFlags } from '../../flags/output-flags.js';

/** `upload <file>`: vets a file as a job. */
export function defineUpload(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run-local.js'));
  const command = program
    .command('upload')
    .summary('upload a list (CSV, Excel, JSON …) as a background job')
    .description(
      'Shows what is in a list and, once you agree, vets it as a job. The job runs in the background and survives being\n' +
        'killed; --wait runs it here, with a progress bar, and -o saves its results.',
    )
    .argument('<file>', 'the list: CSV, Excel (xlsx), JSON or any other format of bulk, plain or gzipped')
    .option('-y, --yes', 'do not ask')
    .option('--wait', 'run the job here until it is done');
  addServiceFlags(addOutputFlag(addFormatFlags(addRunFlags(addInputFlags(command)), uploadTexts)), { isBrief: false })
    .addHelpText('after', help)
    .allowExcessArguments()
    .action((path: string, flags: RawFlags) =>
      run(flags, async (context, { runUpload }) => {
        if (command.args.length > 1) {
          throw new Failure('usage', 'upload takes one file at a time: each becomes a job of its own.', {
            hint: 'Upload them one by one, or vet them in one run with: mailvet bulk FILE FILE',
          });
        }
        const { column, ...reading } = readListFlags(flags);
        const output = await readOutputFlags(flags, 'job');
        return runUpload(context, {
          ...{ path, column, reading },
          yes: flags['yes'] === true,
          wait: flags['wait'] === true,
          run: readRunFlags(flags),
          output,
          writesRows: flags['format'] !== undefined || output.isGiven === true,
        });
      }),
    );
}

/** Rows are printed on request; otherwise the job is. */
const uploadTexts = {
  format: 'with --wait: print the rows instead of the job, in this format',
  json: 'print the job as JSON; errors are JSON, too',
};

const help = `${examples(
  ['mailvet upload list.csv', 'see what is in it, agree, and let it run'],
  ['mailvet upload list.csv --wait -o vetted.csv', 'wait for it, every column kept'],
  ['mailvet jobs results latest --clean', 'sort its rows into three files'],
  ['mailvet upload list.csv -y --wait --max-age 30d -o out.csv', 'ask only what is older'],
)}

Exit status: 0 done, 2 usage or unreadable file, 3 key or credits, 4 network,
5 not found, 6 storage or already running, 130 interrupted (the same command
continues the job).`;
