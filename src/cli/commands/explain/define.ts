import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, examples } from '../../flags/flags.js';
import type { ExplainFlags } from './run.js';

/** `explain`: the meaning of a code, or of a mail server's reply. */
export function defineExplain(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('explain')
    .summary('explain a code or the reply of a mail server')
    .description(
      'Says what a sub_status, a reason, a syntax code or a word for a row of a list (empty, suppressed, duplicate)\n' +
        'means and what to do; without a code, it lists them all.\n' +
        'With --reply it reads the reply of a mail server as the engine does: which rule fires, how certain it is, and why.\n' +
        'A pipe gets JSON: one object, several replies one object per line. Nothing is sent over the network.',
    )
    .argument('[code...]', 'e.g. catch_all, greylisted or local_double_dot; a status lists its codes; or a reply')
    .option('--reply <text>', 'e.g. "550 5.7.1 Relay access denied"; several lines are fine; - reads stdin');
  addCommonFlags(addFormatFlags(command))
    .addHelpText('after', help)
    .action((words: string[], flags: ExplainFlags) =>
      // A reply without quotes is several words.
      run(flags, (context, { runExplain }) =>
        runExplain(context, words.length === 0 ? undefined : words.join(' '), flags),
      ),
    );
}

const help = `${examples(
  ['mailvet explain catch_all', 'what it means, and what to do'],
  ['mailvet explain risky', 'everything that makes an address risky'],
  ['mailvet explain --reply "550 5.7.1 Relay access denied"', 'is the mailbox missing, or was the client refused?'],
  ['mailvet explain 553 5.1.8 Sender rejected', 'the same, without quotes'],
  ['grep -ho "550 .*" mail.log | mailvet explain --reply - --json', 'many, one object per line'],
)}

Exit status: 0 explained, 2 usage or no such code.`;
