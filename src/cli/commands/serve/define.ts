import { type Command, InvalidArgumentError, Option } from 'commander';
import { engineSettings } from '../../../settings/definitions.js';
import type { Launch } from '../../context.js';
import { addCommonFlags, addSettingFlags, examples } from '../../flags/flags.js';
import { parseCount } from '../../flags/parse-values.js';

/** `serve`: the service interface, on this machine. */
export function defineServe(program: Command, launch: Launch): void {
  const command = program
    .command('serve')
    .summary('run the validation service over HTTP')
    .description(
      'Runs the whole service over HTTP: single and bulk validation, uploads and jobs, and a web application at /.\n' +
        'Programs need a key, which the page API Keys or "mailvet keys create" makes, also while the server runs.\n' +
        'Ctrl-C or SIGTERM finishes requests and keeps jobs.',
    )
    .option('--host <address>', 'address to listen on; 0.0.0.0 or :: for all', parseHost, '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 takes any that is free', parseCount(0, 65_535), 8080)
    .option('--tls-cert <file>', 'certificate chain (PEM), to serve https')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--no-web', 'leave out the web application')
    .option('--no-jobs', 'run no jobs here; with --store, a "mailvet worker" elsewhere does')
    .option('--admin-password-file <file>', 'password of the web application (else MAILVET_ADMIN_PASSWORD)')
    .option('--max-rows <n>', 'most rows of an uploaded file', parseCount(1, 100_000), 100_000)
    .option('--max-file-size <mb>', 'largest uploaded file in MB', parseCount(1, 10_000), 64)
    .option('--rate-limit <n>', 'requests a second that each key may make', parseCount(1), 100_000)
    .option('--max-connections <n>', 'connections at a time', parseCount(1), 4096)
    .addOption(
      new Option('--log-level <level>', 'what is written to stderr')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'JSON lines, or lines for people (default: pretty on a terminal, else json)',
      ).choices(['json', 'pretty']),
    )
    .option('--json', 'print the address as JSON; errors are JSON, too');
  addSettingFlags(command, [...engineSettings, 'store', 'queue']);
  addCommonFlags(command);
  command.addHelpText('after', help);
  command.action((flags: Record<string, unknown>) =>
    launch(flags, async (context) => (await import('./run.js')).runServe(context, readFlags(flags)), {
      json: flags['json'] === true,
    }),
  );
}

function readFlags(flags: Record<string, unknown>) {
  return {
    host: String(flags['host']),
    port: Number(flags['port']),
    tlsCert: flags['tlsCert'] as string | undefined,
    tlsKey: flags['tlsKey'] as string | undefined,
    web: flags['web'] !== false,
    jobs: flags['jobs'] !== false,
    adminPasswordFile: flags['adminPasswordFile'] as string | undefined,
    maxRows: Number(flags['maxRows']),
    maxFileMb: Number(flags['maxFileSize']),
    rateLimit: Number(flags['rateLimit']),
    maxConnections: Number(flags['maxConnections']),
    logLevel: String(flags['logLevel']),
    logFormat: flags['logFormat'] as 'json' | 'pretty' | undefined,
    json: flags['json'] === true,
  };
}

/** Nothing would mean every address of the machine, which nobody should get by a variable that was never set. */
function parseHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('Allowed: an address or a name of this machine; 0.0.0.0 or :: for all.');
}

const help = `${examples(
  ['mailvet keys create --name billing', 'a key for a caller; it is shown once'],
  ['mailvet serve', 'on http://127.0.0.1:8080/, the interface under /api/v1'],
  ['mailvet serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem', 'for the network, encrypted'],
  ['mailvet serve --level dns --port 0', 'without asking mail servers, on any free port'],
)}

Exit status: 0 stopped as asked, 2 usage or the port is taken, 6 storage.`;
