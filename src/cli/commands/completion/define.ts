import { Argument, type Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, examples, type RawFlags } from '../../flags/flags.js';
import type { Shell } from './run.js';

/** `completion bash|zsh|fish`: a few lines for the shell, which ask `mailvet complete`. */
export function defineCompletion(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('completion')
    .summary('print a completion script for your shell')
    .description(
      'Prints a few lines for your shell, with which Tab completes commands, flags and their values, settings and profiles.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
  addCommonFlags(command)
    .addHelpText(
      'after',
      examples(
        ['source <(mailvet completion bash)', 'for this bash session'],
        ['source <(mailvet completion zsh)', 'for this zsh session'],
        ['mailvet completion fish | source', 'in ~/.config/fish/config.fish'],
      ),
    )
    .action((shell: Shell, flags: RawFlags) =>
      run(flags, (context, { runCompletion }) => runCompletion(context, shell)),
    );
}

/** `complete -- WORDS`: called by the scripts. */
export function defineComplete(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./complete.js'));
  const command = program.command('complete', { hidden: true }).argument('[words...]');
  addCommonFlags(command).action((words: string[], flags: RawFlags) =>
    run({ ...flags, quiet: true }, (context, { runComplete }) => runComplete(context, program, words)),
  );
}
