import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addOutputFlags, addServiceFlags, examples, type RawFlags } from '../../flags/flags.js';
import { parseMinRows, parseShare } from '../../flags/list-flags.js';
import { readOutputFlags } from '../../flags/output-flags.js';

/** `diff OLD NEW`: what changed between two outputs. */
export function defineDiff(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('diff')
    .summary('what changed between two outputs, or jobs')
    .description(
      'Compares two outputs of bulk or upload, or two jobs: new, gone, same, valid→invalid … for each address.\n' +
        'A guard that trips ends with status 1. An OLD that does not exist is the first run: all addresses are new.',
    )
    .argument('<old>', 'an output (CSV, Excel, JSON, NDJSON), or the id of a job')
    .argument('<new>', 'the one to compare with it')
    .option('--only-changed', 'only what changed (the default on a terminal)')
    .option('--column <name>', 'column with the addresses, if an output has several')
    .option('--max-gone <share>', 'status 1 if more of the old addresses than this are gone, e.g. 10%', parseShare)
    .option('--max-changed <share>', 'the same if more of them have another status, e.g. 30%', parseShare)
    .option('--min-rows <n>', 'the same for fewer new addresses, as a number or a share of the old ones', parseMinRows);
  addServiceFlags(addOutputFlags(command, { fields: 'only these of: email, change, before, after' }))
    .addHelpText('after', help)
    .action((old: string, latest: string, flags: RawFlags) =>
      run(flags, async (context, { runDiff }) =>
        runDiff(context, {
          old,
          latest,
          column: flags['column'] as string | undefined,
          onlyChanged: flags['onlyChanged'] === true,
          output: await readOutputFlags(flags, 'change'),
          guards: {
            maxGone: (flags['maxGone'] as number | undefined) ?? null,
            maxChanged: (flags['maxChanged'] as number | undefined) ?? null,
            minRows: (flags['minRows'] as number | { share: number } | undefined) ?? null,
          },
        }),
      ),
    );
}

const help = `${examples(
  ['mailvet diff vetted.csv new.csv', 'what changed, on the screen'],
  ['mailvet diff vetted.csv new.csv --only-changed -o changes.csv', 'the same as a file'],
  [
    'mailvet bulk list.csv -o new.csv --max-unknown 20% && mailvet diff vetted.csv new.csv --max-gone 10% && mv new.csv vetted.csv',
    'every night: replace a good list only by a good one',
  ],
)}

Exit status: 0 done, 1 a guard tripped, 2 usage or unreadable input, 5 no such job.`;
