import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, addGroupExamples, type RawFlags } from '../../flags/flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import type { UnsetFlags } from './run.js';

/** `config list|get|set|unset`: the stored settings, and their profiles. */
export function defineConfig(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const config = program
    .command('config')
    .summary('show and change stored settings')
    .description(
      'Shows and changes stored settings. A flag wins over a variable, a variable over a stored setting.\n' +
        'The setting profile chooses the profile that is used from now on.',
    );
  const define = (name: string, summary: string, description: string): Command =>
    addCommonFlags(config.command(name).summary(summary).description(description));
  // The commands below work with a profile that does not exist yet.
  const newProfile = { newProfile: true };

  addFormatFlags(
    define(
      'list',
      'every setting, its value and its source',
      'Lists every setting, its value and its source, and all profiles.',
    ),
  ).action((flags: FormatFlags) => run(flags, (context, commands) => commands.runConfigList(context, flags)));
  addFormatFlags(define('get <key>', 'the value of one setting', 'Prints the value of one setting.')).action(
    (key: string, flags: FormatFlags) => run(flags, (context, commands) => commands.runConfigGet(context, key, flags)),
  );
  define('set <key> <value>', 'store a setting', 'Stores a setting.').action(
    (key: string, value: string, flags: RawFlags) =>
      run(flags, (context, commands) => commands.runConfigSet(context, key, value), newProfile),
  );
  define('unset [key]', 'remove a stored setting', 'Removes a stored setting, or with --all the profile itself.')
    .option('--all', 'remove the profile with all its settings and its key')
    .option('-y, --yes', 'do not ask')
    .action((key: string | undefined, flags: UnsetFlags) =>
      run(flags, (context, commands) => commands.runConfigUnset(context, key, flags)),
    );
  addGroupExamples(config, [
    ['mailvet config list', 'the settings in force, and why'],
    ['mailvet config get level', 'one value, for a script'],
    ['mailvet config set level dns', 'never ask mail servers'],
    ['mailvet config set timeout 10s --profile work', 'in a separate profile'],
    ['mailvet config set profile work', 'use that profile from now on'],
    ['mailvet config unset level', 'back to the default'],
    ['mailvet config unset --all --profile work', 'the profile, with its settings and its key'],
  ]);
}
