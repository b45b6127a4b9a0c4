import type { Command } from 'commander';
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
import { addListFlags, readListFlags } from '../../flags/list-flags.js';
import { readListOutput } from '../../flags/output-flags.js';
import { parseCount } from '../../flags/parse-values.js';

/** `bulk [file|-]`: a list of any length, streaming, in input order. */
export function defineBulk(program: Command, launch: Launch): void {
  const command = program
    .command('bulk')
    .summary('vet a list of any length')
    .description(
      'Vets a list: lines, CSV, a JSON array or NDJSON, plain or gzipped, from a file or stdin. Results stream in input order.\n' +
        'A pipe gets NDJSON; --json prints one summary with the results in it; CSV keeps every input column.',
    )
    .argument('[file]', 'the list; - or nothing reads stdin')
    .option('--fail-on <statuses>', 'exit with status 1 where one of these occurs, as invalid,risky,unknown')
    .option('--dry-run', 'remote only: count unique addresses, requests and credits, and send nothing')
    .option('--max-credits <n>', 'remote only: refuse to spend more', parseCount(0, 999_999_999_999))
    .option('--resume <file>', 'remote only: take the answers in this earlier output, and ask for the rest')
    .option('--retry-billable', 'remote only: send again what may already have been charged');
  addListFlags(command);
  addOutputFlags(command);
  addInPlaceFlag(command);
  addSettingFlags(command, engineSettings);
  addBackEndFlags(command);
  addCommonFlags(command);
  command.addHelpText('after', help);
  command.action((file: string | undefined, flags: Record<string, unknown>) =>
    launch(flags, async (context) => {
      const { runBulk } = await import('./run.js');
      const path = file === undefined || file === '-' ? null : file;
      return runBulk(context, {
        path,
        output: await readListOutput(flags, path),
        list: readListFlags(flags),
        failOn: await readFailOn(flags['failOn']),
        remote: {
          dryRun: flags['dryRun'] === true,
          maxCredits: flags['maxCredits'] as number | undefined,
          resume: flags['resume'] as string | undefined,
          retryBillable: flags['retryBillable'] === true,
        },
      });
    }),
  );
}

async function readFailOn(value: unknown): Promise<ReadonlySet<string>> {
  if (typeof value !== 'string') return new Set();
  const { parseStatuses } = await import('../../flags/status-and-field-lists.js');
  return parseStatuses('--fail-on', value);
}

const help = `${examples(
  ['mailvet bulk list.csv -o vetted.csv', 'every column kept, five added'],
  ['mailvet bulk list.csv --column Mail --fail-on invalid', 'for a nightly job'],
  ['mailvet bulk list.txt --level syntax --json', 'one summary, offline'],
  ['cat list.txt | mailvet bulk --format plain --only valid', 'a filter, like grep'],
  ['zcat -f *.gz | mailvet bulk - --fields email,status', 'NDJSON with two fields'],
)}

Exit status: 0 done, 1 a status of --fail-on occurred, 2 usage or unreadable
input, 3 key or credits, 4 network, 6 storage, 130 interrupted.`;
