import type { Command } from 'commander';
import { engineSettings } from '../../../settings/definitions.js';
import type { Launch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples } from '../../flags/flags.js';
import type { RawFlags } from '../../flags/read-common-flags.js';

/** `worker`: runs jobs of a store that several machines share. */
export function defineWorker(program: Command, launch: Launch): void {
  const command = program
    .command('worker')
    .summary('run jobs of a shared database')
    .description(
      'Runs the jobs that wait in a shared database, on a machine that takes no requests. Start as many as you like;\n' +
        'a job has one worker at a time. Ctrl-C or SIGTERM gives unfinished jobs back, to be continued by another.',
    );
  addSettingFlags(command, [...engineSettings, 'store']);
  addCommonFlags(command);
  command.addHelpText('after', help);
  command.action((flags: RawFlags) =>
    launch(flags, async (context) => (await import('./run.js')).runWorkerCommand(context)),
  );
}

const help = `${examples(
  ['mailvet worker --store @/etc/mailvet/store', 'until it is stopped'],
  ['mailvet worker --store @/etc/mailvet/store --ehlo-name w1.example.com', 'with a name of its own'],
)}

Exit status: 0 stopped as asked, 2 usage, 6 storage.`;
