import { Argument, type Command } from 'commander';
import type { Launch } from '../../context.js';
import { addCommonFlags, examples } from '../../flags/flags.js';

/** `completion bash|zsh|fish`: a script that completes commands, flags and their choices. */
export function defineCompletion(program: Command, launch: Launch): void {
  const command = program
    .command('completion')
    .summary('print a completion script for your shell')
    .description(
      'Prints a script that completes commands, flags and their choices, ids of jobs, and the columns of a list.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
  addCommonFlags(command);
  command.addHelpText(
    'after',
    examples(
      ['source <(mailvet completion bash)', 'for this bash session'],
      ['source <(mailvet completion zsh)', 'for this zsh session'],
      ['mailvet completion fish > ~/.config/fish/completions/mailvet.fish', 'for every fish session'],
    ),
  );
  command.action((shell: 'bash' | 'zsh' | 'fish', flags: Record<string, unknown>) =>
    launch(flags, async (context) => (await import('./run.js')).runCompletion(context, program, shell)),
  );
}

/** `complete jobs|columns`: what the scripts ask for while somebody types. */
export function defineComplete(program: Command, launch: Launch): void {
  const command = program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['jobs', 'columns']))
    .argument('[words...]');
  addCommonFlags(command);
  command.action((kind: 'jobs' | 'columns', words: string[], flags: Record<string, unknown>) =>
    launch({ ...flags, quiet: true }, async (context) =>
      (await import('./list-words.js')).runComplete(context, kind, words),
    ),
  );
}
