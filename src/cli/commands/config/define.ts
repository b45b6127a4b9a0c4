import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addGroupExamples, type RawFlags } from '../../flags/flags.js';

type JsonFlag = { json?: boolean };

/** `config list|get|set|unset|path|use|profiles|remove-profile`: the stored settings. */
export function defineConfig(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const config = program
    .command('config')
    .summary('show and change stored settings')
    .description('Shows and changes stored settings. A flag wins over a variable, a variable over a stored setting.');
  const define = (name: string, summary: string, description: string): Command =>
    addCommonFlags(config.command(name).summary(summary).description(description));
  // The commands below work with a profile that does not exist yet.
  const newProfile = { newProfile: true };

  define('list', 'every setting, its value and its source', 'Lists every setting, its value and its source.')
    .option('--json', 'as JSON')
    .action((flags: { json?: boolean }) => run(flags, (context, commands) => commands.runConfigList(context, flags)));
  define('get <key>', 'the value of one setting', 'Prints the value of one setting.')
    .option('--json', 'as JSON')
    .action((key: string, flags: JsonFlag) =>
      run(flags, (context, commands) => commands.runConfigGet(context, key, flags)),
    );
  define('set <key> <value>', 'store a setting', 'Stores a setting.').action(
    (key: string, value: string, flags: RawFlags) =>
      run(flags, (context, commands) => commands.runConfigSet(context, key, value), newProfile),
  );
  define('unset <key>', 'remove a stored setting', 'Removes a stored setting.').action((key: string, flags: RawFlags) =>
    run(flags, (context, commands) => commands.runConfigUnset(context, key)),
  );
  define('path', 'where the settings file is', 'Prints where the settings file is.')
    .option('--json', 'as JSON')
    .action((flags: JsonFlag) => run(flags, (context, commands) => commands.runConfigPath(context, flags), newProfile));
  define('use <profile>', 'use a profile from now on', 'Uses a profile from now on.').action(
    (name: string, flags: RawFlags) =>
      run(flags, (context, commands) => commands.runConfigUse(context, name), newProfile),
  );
  define('profiles', 'all profiles, and which one is in use', 'Lists all profiles, and which one is in use.')
    .option('--json', 'as JSON (the default in a pipe)')
    .action((flags: JsonFlag) =>
      run(flags, (context, commands) => commands.runConfigProfiles(context, flags), newProfile),
    );
  define('remove-profile <profile>', 'remove a profile', 'Removes a profile with its settings and its key.')
    .option('-y, --yes', 'do not ask')
    .action((name: string, flags: RawFlags & { yes?: boolean }) =>
      run(flags, (context, commands) => commands.runConfigRemoveProfile(context, name, flags), newProfile),
    );
  addGroupExamples(config, [
    ['mailvet config list', 'the settings in force, and why'],
    ['mailvet config get level', 'one value, for a script'],
    ['mailvet config set level dns', 'never ask mail servers'],
    ['mailvet config set timeout 10s --profile work', 'in a separate profile'],
    ['mailvet config use work', 'use that profile from now on'],
    ['mailvet config profiles', 'which ones there are'],
    ['mailvet config remove-profile work', 'with its settings and its key'],
    ['mailvet config unset level', 'back to the default'],
    ['mailvet config path', 'where all of this is stored'],
  ]);
}
