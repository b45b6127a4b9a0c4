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
      'Runs the jobs that wait in a shared database, on a machine that takes no requests. Start as many as you like;\n' +
        'a job has one worker at a time. Ctrl-C or SIGTERM releases unfinished jobs, which another worker continues.',
    )
    .option('--name <name>', 'name of this worker (default: the host, and its source_ip or process)', parseName);
  addCommonFlags(addSettingFlags(command, ['level', 'store']))
    .addHelpText('after', help)
    .action((flags: { name?: string }) =>
      run(flags, (context, { runWorker }) => runWorker(context, flags.name ?? null)),
    );
}

/** The name is used in logs, labels and tables. */
function parseName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(text.trim())) return text.trim();
  throw new InvalidArgumentError('Allowed: up to 64 letters, digits, dots, colons, hyphens and underscores.');
}

const help = `${examples(
  ['mailvet worker --store @/etc/mailvet/store', 'until it is stopped'],
  [
    'mailvet worker --store @/etc/mailvet/store --name w1 --set source_ip=192.0.2.1 --set ehlo_name=w1.example.com',
    'with its own name and outbound address',
  ],
)}

Exit status: 0 stopped by a signal, 2 usage, 6 storage.`;
