import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addFormatFlags, addGroupExamples, addSettingFlags } from '../../flags/flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';

/** `store migrate|check|copy`: the database that several machines share. */
export function defineStore(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const store = program
    .command('store')
    .summary('prepare, check and fill a shared database')
    .description(
      'Jobs and keys live in the data directory, or in a PostgreSQL database that any number of machines share.\n' +
        'Its address comes from --store, MAILVET_STORE or the setting store; @FILE reads it from a file.',
    );
  const texts = {
    migrate: ['create the tables', 'Creates the tables of the store in a database.'],
    check: ['look for damage', 'Opens the store, writes to it and looks for damage.'],
    copy: ['fill an empty database', 'Copies the store of the data directory into an empty database.'],
  } as const;
  for (const name of ['migrate', 'check', 'copy'] as const) {
    const command = store.command(name).summary(texts[name][0]).description(texts[name][1]);
    addCommonFlags(addFormatFlags(addSettingFlags(command, ['store']))).action((flags: FormatFlags) =>
      run(flags, (context, { storeCommands }) => storeCommands[name](context, flags)),
    );
  }
  addGroupExamples(store, [
    ['mailvet store migrate --store @/etc/mailvet/store', 'creates the store in the database, once'],
    ['mailvet store check', 'checks the data directory, unless a database is set'],
    ['mailvet store copy --store @/etc/mailvet/store', 'copies jobs and keys from the data directory'],
    ['mailvet serve --store @/etc/mailvet/store', 'on as many machines as you like'],
  ]);
  store.addHelpText('after', '\nExit status: 0 done, 2 usage, 6 storage: the database cannot be reached or used.');
}
