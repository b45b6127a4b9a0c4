import { type Command, Option } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addFormatFlags, addServiceFlags, examples, type RawFlags, readCommonFlags } from '../../flags/flags.js';

/** `doctor`: checks of this machine, its network and its settings. */
export function defineDoctor(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('doctor')
    .summary('find out what works from here')
    .description(
      'Checks all that mailvet needs: settings, data directory, job store, lists,\n' +
        'DNS, the mail port, the EHLO name, and the back end: for a remote service\n' +
        'its key and credits. Each finding comes with the next step.\n' +
        'Connects to the first mail server of gmail.com, outlook.com, yahoo.com and icloud.com,\n' +
        'and to no other, to send EHLO and QUIT. --probe names other hosts instead;\n' +
        '--no-probe leaves that out, and so does the level dns unless --probe names a host.',
    )
    .addOption(
      new Option('--probe <host[:port]>', 'connect to this host instead (repeatable; may be private)').argParser(
        (value: string, earlier: unknown) => [...(Array.isArray(earlier) ? earlier : []), value],
      ),
    )
    .addOption(new Option('--no-probe', 'connect to no mail server').default(undefined));
  addFormatFlags(command);
  addServiceFlags(command)
    .addHelpText('after', help)
    .action((flags: RawFlags) =>
      run(flags, (context, { runDoctor }) =>
        runDoctor(context, {
          flags: readCommonFlags(flags),
          probes: flags['probe'] === false ? null : ((flags['probe'] as string[] | undefined) ?? []),
          format: flags,
        }),
      ),
    );
}

const help = `${examples(
  ['mailvet doctor', 'everything'],
  ['mailvet doctor --probe mx.example.org', 'can this mail server be reached?'],
  ['mailvet doctor --set resolvers=192.0.2.53 --no-probe', 'does this DNS server work?'],
  ["mailvet doctor --json | jq '.checks[]|select(.hint)|.message'", 'for a script'],
)}

Exit status: 0 nothing failed (warnings are fine), else by the first failure:
2 settings or Node, 3 key, 4 network or remote, 6 storage, 130 interrupted.
While a remote service is in use, what only the bundled engine needs is a
warning at most.`;
