import { type Command, InvalidArgumentError } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples } from '../../flags/flags.js';

/** `worker`: runs jobs of a store that several machines share. */
export function defineWorker(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('worker')
    .summary('run jobs of a shared database')
    .description(
      'Asks for the lists of a shared database, on a machine that takes no requests. Start as many as you like: they share\n' +
        'each list through the setting queue. Ctrl-C or SIGTERM releases unfinished rows, which another worker continues.',
    )
    .option('--check', 'start nothing: ask the database whether the worker of this name is alive')
    .option('--name <name>', 'name of this worker (default: the host, and its source_ip or process)', parseName);
  addCommonFlags(addSettingFlags(command, ['level', 'store']))
    .addHelpText('after', help)
    .action((flags: { name?: string; check?: boolean }) =>
      run(flags, (context, { runWorker }) => runWorker(context, flags)),
    );
}

/** The name is used in logs, labels and tables. */
function parseName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(text.trim())) return text.trim();
  throw new InvalidArgumentError('Allowed: up to 64 letters, digits, dots, colons, hyphens and underscores.');
}

const help = `${examples(
  ['mailvet worker --store @/etc/mailvet/store', 'until it is stopped'],
  ['mailvet worker --store @/etc/mailvet/store --set source_ip=192.0.2.1', 'with its own outbound address'],
)}

Exit status: 0 stopped by a signal (--check: alive), 2 usage, 4 not alive (--check), 6 storage.`;
