import { type Command, InvalidArgumentError, Option } from 'commander';
import { engineSettings } from '../../../settings/definitions.js';
import { duration } from '../../../settings/value-kinds.js';
import { type Launch, lazyLaunch } from '../../context.js';
import { addCommonFlags, collectValues, engineOnlyTexts, examples, parseCount } from '../../flags/flags.js';
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
    )
    .option('--host <address>', 'address to listen on; 0.0.0.0 or :: for all', parseHost, '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 for any free port', parseCount(0, 65_535), 8080)
    .option('--tls-cert <file>', 'certificate chain (PEM), to serve https')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--no-web', 'leave out the web application')
    .option('--no-jobs', 'do not run jobs in this process; with --store, a "mailvet worker" runs them')
    .option('--admin-password-file <file>', 'password of the web application (else MAILVET_ADMIN_PASSWORD)')
    .option('--public-url <url>', 'address of the web application for browsers (repeatable)', collectValues)
    .option('--trust-proxy <cidr>', 'network of a proxy whose X-Forwarded headers count (repeatable)', collectValues)
    .option('--user-header <name>', 'header in which a trusted proxy names the member by email address')
    .option('--webhook-network <cidr>', 'private network that webhooks may be sent to (repeatable)', collectValues)
    .option('--exclude <file>', 'suppression list whose addresses are never asked for (repeatable)', collectValues)
    .option('--max-rows <n>', 'maximum rows of an uploaded file', parseCount(1, 10_000_000), 1_000_000)
    .option('--max-file-size <mb>', 'maximum size of an uploaded file in MB', parseCount(1, 10_000), 64)
    .option('--rate-limit <n>', 'maximum requests per second for each key', parseCount(1), 100_000)
    .option(
      '--drain <time>',
      'after SIGTERM, fail /readyz and accept requests for this long, until load balancers notice (default: 0s)',
      parseDrain,
    )
    .option('--max-connections <n>', 'maximum connections at a time', parseCount(1), 4096)
    .addOption(
      new Option('--log-level <level>', 'minimum level of messages on stderr')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'JSON lines, or readable lines (default: pretty on a terminal, else json)',
      ).choices(['json', 'pretty']),
    )
    .option('--check', 'start nothing: ask the server that runs here with these flags whether it is ready')
    .option('--json', 'print the address as JSON; errors are JSON, too');
  addCommonFlags(command, [...engineSettings, 'store', 'storeConnections', 'queue'], engineOnlyTexts)
    .addHelpText('after', help)
    .action((flags: ServeFlags) =>
      run(
        flags,
        (context, { runServe }) => runServe(context, flags),
        flags.check ? {} : { logFormat: flags.logFormat ?? 'auto' },
      ),
    );
}

function parseDrain(text: string): number {
  const { parse, allowed } = duration(0, 600_000);
  const ms = parse(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError(`Allowed: ${allowed}.`);
}

/** Node would listen on all addresses for an empty host, such as an unset variable. */
function parseHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('Allowed: an address or a name of this machine; 0.0.0.0 or :: for all.');
}

const help = `${examples(
  ['mailvet keys create --name billing', 'create a key for a program; it is shown once'],
  ['mailvet serve', 'on http://127.0.0.1:8080/, the interface under /api/v1'],
  ['mailvet serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem', 'for the network, encrypted'],
  ['mailvet serve --level dns --port 0', 'without asking mail servers, on any free port'],
)}

Exit status: 0 stopped by a signal (--check: ready), 2 usage or the port is taken,
4 not ready (--check), 6 storage.`;
