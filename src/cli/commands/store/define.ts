import type { Command } from 'commander';
import type { Launch } from '../../context.js';
import { addCommonFlags, addGroupExamples, addSettingFlags, type Example } from '../../flags/flags.js';
import type { RawFlags } from '../../flags/read-common-flags.js';

/** `store migrate|check|copy`: the database that several machines share. */
export function defineStore(program: Command, launch: Launch): void {
  const store = program
    .command('store')
    .summary('prepare, check and fill a shared database')
    .description(
      'Jobs and keys live in the data directory, or in a PostgreSQL database that any number of machines share.\n' +
        'Its address comes from --store, MAILVET_STORE or the setting store; @FILE names a file that holds it.',
    );
  const define = (name: string, about: string, run: (typeof commands)[number]): void => {
    const command = store.command(name).description(about).option('--json', 'as JSON');
    addCommonFlags(addSettingFlags(command, ['store'])).action((flags: RawFlags) =>
      launch(flags, async (context) => {
        const { runStoreMigrate, runStoreCheck, runStoreCopy } = await import('./run.js');
        const runs = { migrate: runStoreMigrate, check: runStoreCheck, copy: runStoreCopy };
        return runs[run](context, { json: flags['json'] === true });
      }),
    );
  };
  define('migrate', 'make the tables in a database, or bring them up to date', 'migrate');
  define('check', 'open the store, write to it and look for damage', 'check');
  define('copy', 'copy the store of the data directory into an empty database', 'copy');
  addGroupExamples(store, storeExamples);
  store.addHelpText('after', exits);
}

const commands = ['migrate', 'check', 'copy'] as const;

const storeExamples: readonly Example[] = [
  ['mailvet store migrate --store @/etc/mailvet/store', 'once, and after each update'],
  ['mailvet store check', 'of this machine, where nothing else is set'],
  ['mailvet store copy --store @/etc/mailvet/store', 'move there from the data directory'],
  ['mailvet serve --store @/etc/mailvet/store', 'on as many machines as you like'],
];

const exits = `
Exit status: 0 done, 2 usage, 6 storage: the database cannot be reached or used.`;
