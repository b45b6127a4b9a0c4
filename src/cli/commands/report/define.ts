import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addServiceFlags, examples, type RawFlags } from '../../flags/flags.js';

/** `report FILE|ID`: the page of an output or a job. */
export function defineReport(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('report')
    .summary('the page (HTML) of an output or a job')
    .description(
      'Writes one HTML file: charts, reasons, domains, and the rows that are not valid. It needs no network.',
    )
    .argument('<output>', 'an output of bulk or upload (CSV, Excel, JSON, NDJSON), or the id of a job')
    .requiredOption('-o, --output <file>', 'the page, such as report.html')
    .option('--column <name>', 'column with the addresses, if the output has several');
  addServiceFlags(command)
    .addHelpText('after', examples(['mailvet report vetted.csv -o report.html', 'open it in a browser, or send it']))
    .action((name: string, flags: RawFlags) =>
      run(flags, (context, { runReport }) =>
        runReport(context, {
          name,
          path: flags['output'] as string,
          column: flags['column'] as string | undefined,
        }),
      ),
    );
}
