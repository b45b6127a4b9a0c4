import type { Command } from 'commander';
import type { Launch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples } from '../../flags/flags.js';

/** `login`: checks a key and a base URL, stores them, and switches to the remote service. */
export function defineLogin(program: Command, launch: Launch): void {
  const command = program
    .command('login')
    .summary('store a key for a remote service, and use it')
    .description(
      'Checks a key against the service, stores it so that only you can read it, and switches to the remote back end.\n' +
        'The key is asked for on a terminal; else it comes from stdin (--key-stdin) or MAILVET_API_KEY.',
    )
    .option('--key-stdin', 'read the key from stdin')
    .option('--json', 'errors as JSON');
  addSettingFlags(command, ['baseUrl', 'allowHttp', 'timeoutMs', 'retries']);
  addCommonFlags(command);
  command.addHelpText(
    'after',
    examples(
      ['mailvet login --base-url https://mail.example.org', 'asks for the key'],
      ['mailvet login --key-stdin --base-url https://mail.example.org < key.txt', 'in a script'],
      ['mailvet login --profile work', 'beside another account'],
    ),
  );
  command.action((flags: Record<string, unknown>) =>
    launch(
      flags,
      async (context) => {
        const { runLogin } = await import('./run.js');
        return runLogin(context, { keyFromStdin: flags['keyStdin'] === true });
      },
      { newProfile: true },
    ),
  );
}
