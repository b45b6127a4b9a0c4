import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples, type RawFlags } from '../../flags/flags.js';

/** `login`: checks a key and a base URL, stores them, and switches to the remote service. */
export function defineLogin(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('login')
    .summary('store a key for a remote service, and use it')
    .description(
      'Checks a key against the service, stores it so that only you can read it, and switches to the remote back end.\n' +
        'The key is asked for on a terminal; else it comes from stdin (--key-stdin) or MAILVET_API_KEY.',
    )
    .option('--key-stdin', 'read the key from stdin: the key alone, or what "keys create" wrote')
    .option('--json', 'errors as JSON');
  addCommonFlags(addSettingFlags(command, ['baseUrl']))
    .addHelpText(
      'after',
      examples(
        ['mailvet login --base-url https://mail.example.org', 'asks for the key'],
        ['mailvet login --key-stdin --base-url https://mail.example.org < key.txt', 'in a script'],
        ['mailvet login --profile work', 'for a second account'],
      ),
    )
    .action((flags: { keyStdin?: boolean }) =>
      run(flags, (context, { runLogin }) => runLogin(context, { keyFromStdin: flags.keyStdin === true }), {
        newProfile: true,
      }),
    );
}

/** `logout`: removes the stored key and switches to the bundled engine. */
export function defineLogout(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('logout')
    .summary('remove the stored key, and use the bundled engine')
    .description('Removes the stored key and switches to the bundled engine. The address of the service stays stored.');
  addCommonFlags(command)
    .addHelpText('after', examples(['mailvet logout', 'back to the bundled engine']))
    .action((flags: RawFlags) => run(flags, (context, { runLogout }) => runLogout(context)));
}
