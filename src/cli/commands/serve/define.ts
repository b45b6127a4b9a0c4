import type { Command } from 'commander';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples } from '../../flags/flags.js';
import type { ServeFlags } from './run.js';

/** `serve`: the service over HTTP. */
export function defineServe(program: Command, launch: Launch): void {
  const run = lazyLaunch(launch, () => import('./run.js'));
  const command = program
    .command('serve')
    .summary('run the validation service over HTTP')
    .description(
      'Runs the whole service over HTTP: single and bulk validation, uploads and jobs, and a web application at /.\n' +
        'Programs need an API key: create one with "mailvet keys create" or on the page API keys, even while the server runs.\n' +
        'Ctrl-C or SIGTERM finishes open requests and stops; unfinished jobs continue at the next start.',
    );
  addSettingFlags(command, ['serveHost', 'servePort', 'level', 'store', 'servePublicUrls', 'serveTrustedProxies'])
    .option('--check', 'start nothing: ask the server that runs here with these flags whether it is ready')
    .option('--json', 'print the address as JSON; errors are JSON, too');
  addCommonFlags(command, { isBrief: false })
    .addHelpText('after', help)
    .action((flags: ServeFlags) =>
      run(flags, (context, { runServe }) => runServe(context, flags), flags.check ? {} : { logFormat: 'auto' }),
    );
}

const help = `${examples(
  ['mailvet keys create --name billing', 'create a key for a program; it is shown once'],
  ['mailvet serve', 'on http://127.0.0.1:8080/, the interface under /api/v1'],
  ['mailvet config set serve.tls_cert /etc/ssl/vet.pem', 'https; serve.tls_key is the other half'],
  ['mailvet serve --host 0.0.0.0', 'for the network'],
  ['mailvet serve --level dns --port 0', 'without asking mail servers, on any free port'],
)}

What is set once is a setting (TLS files, limits, logs): mailvet config list

Exit status: 0 stopped by a signal (--check: ready), 2 usage or the port is taken,
4 not ready (--check), 6 storage.`;
