import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addServiceFlags, examples, requestTexts } from '../../flags/flags.js';

/** `whoami`: the back end in use, and the account at a remote service. */
export function defineWhoami(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('whoami')
    .summary('show the back end in use, the key and its credits')
    .description(
      'Shows which back end answers and, for a remote service, which key is used and how many credits it has.\n' +
        'The key is checked; that costs nothing.',
    )
    .option('--json', 'as JSON (the default in a pipe)');
  addServiceFlags(command, ['timeoutMs'], requestTexts)
    .addHelpText(
      'after',
      `${examples(
        ['mailvet whoami', 'local or remote, and the key in use'],
        ['mailvet whoami --profile work --json', 'for a script'],
      )}\n\nExit status: 0 it answers, 3 key refused, 4 network or remote trouble.`,
    )
    .action((flags: { json?: boolean }) => run(flags, (context, { runWhoami }) => runWhoami(context, flags)));
}
