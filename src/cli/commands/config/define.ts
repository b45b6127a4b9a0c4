import type { Command } from 'commander';
import type { Launch } from '../../context.js';
import { addCommonFlags, addGroupExamples } from '../../flags/flags.js';

/** `config list|get|set|unset|path|use`: the stored settings. */
export function defineConfig(program: Command, launch: Launch): void {
  const config = program
    .command('config')
    .summary('look at and change stored settings')
    .description('Looks at and changes stored settings. A flag wins over a variable, a variable over what is stored.');

  addCommonFlags(config.command('list').description('every setting, its value and where that comes from'))
    .option('--json', 'as JSON')
    .action((flags: Record<string, unknown>) =>
      launch(flags, async (context) => (await load()).runConfigList(context, { json: flags['json'] === true })),
    );
  addCommonFlags(config.command('get <key>').description('the value of one setting')).action((key: string, flags) =>
    launch(flags, async (context) => (await load()).runConfigGet(context, { key })),
  );
  addCommonFlags(config.command('set <key> <value>').description('store a setting')).action(
    (key: string, value: string, flags) =>
      launch(flags, async (context) => (await load()).runConfigSet(context, { key, value }), { newProfile: true }),
  );
  addCommonFlags(config.command('unset <key>').description('forget a stored setting')).action((key: string, flags) =>
    launch(flags, async (context) => (await load()).runConfigUnset(context, { key })),
  );
  addCommonFlags(config.command('path').description('where the settings file is')).action((flags) =>
    launch(flags, async (context) => (await load()).runConfigPath(context), { newProfile: true }),
  );
  addCommonFlags(config.command('use <profile>').description('use a profile from now on')).action(
    (name: string, flags) =>
      launch(flags, async (context) => (await load()).runConfigUse(context, { name }), { newProfile: true }),
  );
  addGroupExamples(config, [
    ['mailvet config list', 'what is in force, and why'],
    ['mailvet config get level', 'one value, for a script'],
    ['mailvet config set level dns', 'never ask mail servers'],
    ['mailvet config set timeout 10s --profile work', 'in a profile of its own'],
    ['mailvet config use work', 'use that profile from now on'],
    ['mailvet config unset level', 'back to the default'],
    ['mailvet config path', 'where all of this is stored'],
  ]);
}

function load(): Promise<typeof import('./run.js')> {
  return import('./run.js');
}
