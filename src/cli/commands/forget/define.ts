import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, examples } from '../../flags/flags.js';
import type { ForgetFlags } from './run.js';

/** `forget`: deletes an address from the data of this machine. */
export function defineForget(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('forget')
    .summary('delete an address from all stored lists')
    .description(
      'Deletes an address from the uploaded lists, the addresses of jobs and the cached verdicts, of all owners.\n' +
        'Rows with it are deleted, and cells of other rows with it are emptied. Your own files stay.',
    )
    .argument('<address>', 'the address, in any spelling of the mailbox')
    .option('-y, --yes', 'do not ask');
  addCommonFlags(addFormatFlags(command))
    .addHelpText(
      'after',
      `${examples(
        ['mailvet forget ann@example.com', 'a person asked for it'],
        ['mailvet forget ann@example.com --yes --json', 'for a script'],
      )}\n\nExit status: 0 deleted, or it was not stored; 2 usage; 6 storage, or a list with it has not ended.`,
    )
    .action((address: string, flags: ForgetFlags) =>
      run(flags, (context, { runForget }) => runForget(context, address, flags)),
    );
}
