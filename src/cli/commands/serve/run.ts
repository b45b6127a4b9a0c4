import { readFile } from 'node:fs/promises';
import { Failure } from '../../../model/failure.js';
import { isLoopback } from '../../../wire/routes.js';
import type { Context, ServeOptions, ServerHandle } from '../../context.js';
import type { Sink } from '../../terminal/terminal.js';

/** The flags of `serve`. */
interface ServeFlags {
  host: string;
  port: number;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  web: boolean;
  /** Run the jobs here, too. */
  jobs: boolean;
  adminPasswordFile: string | undefined;
  maxRows: number;
  maxFileMb: number;
  rateLimit: number;
  maxConnections: number;
  logLevel: string;
  /** Absent: for people where there is one at a terminal. */
  logFormat: 'json' | 'pretty' | undefined;
  json: boolean;
}

/** Serves until it is interrupted. */
export async function runServe(context: Context, flags: ServeFlags): Promise<number> {
  const { signal, terminal } = context;
  const { url, validKeys, pages, stop } = await context.startServer(await serveOptions(context, flags));
  await terminal.stdout.write(flags.json ? `${JSON.stringify({ url })}\n` : `Listening on ${url}\n`);
  if (pages !== null) showPages(context, pages);
  if (validKeys === 0) {
    context.note('There is no key yet, so every request is refused. Make one with: mailvet keys create --name NAME');
  }
  if (!isLoopback(flags.host) && flags.tlsCert === undefined) {
    context.note(
      'Keys and addresses travel unencrypted to this address. Use --tls-cert and --tls-key, or a proxy that does.',
    );
  }
  await interruption(signal);
  await stop();
  return 0;
}

function showPages({ note }: Context, { url, setUpUrl, areBuilt }: NonNullable<ServerHandle['pages']>): void {
  if (!areBuilt) {
    note('The pages of the web application are not built, so only the interface is offered. Run: npm run build');
    return;
  }
  note(`Web application: ${url}`);
  if (setUpUrl !== null) note(`It has no password yet. Set one here, once: ${setUpUrl}`);
}

async function serveOptions(context: Context, flags: ServeFlags): Promise<ServeOptions> {
  const { quiet, terminal } = context;
  const { host, port, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new Failure('usage', '--tls-cert and --tls-key must be given together.');
  }
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: await read('--tls-cert', tlsCert), key: await read('--tls-key', tlsKey) };
  return {
    host,
    port,
    tls,
    runsJobs: flags.jobs,
    web: flags.web ? { adminPassword: await adminPassword(context, flags.adminPasswordFile) } : null,
    limits: {
      rows: flags.maxRows,
      fileBytes: flags.maxFileMb * 1024 * 1024,
      requestsPerSecond: flags.rateLimit,
      connections: flags.maxConnections,
    },
    log: {
      level: quiet ? 'silent' : flags.logLevel,
      write: await logWriter(terminal.stderr, flags.logFormat),
    },
  };
}

async function logWriter(stderr: Sink, format: ServeFlags['logFormat']): Promise<(lines: string) => void> {
  // A log that nobody reads any more is no reason to stop.
  const write = (text: string): void => void stderr.write(text).catch(() => {});
  if ((format ?? (stderr.isTty ? 'pretty' : 'json')) === 'json') return write;
  const { renderLogLines } = await import('../../render/log-lines.js');
  return (lines) => write(renderLogLines(lines, stderr));
}

/** From the file, else from the environment; null where neither is given. A line end at the end of a file is not part of it. */
async function adminPassword({ environment }: Context, file: string | undefined): Promise<string | null> {
  if (file !== undefined) return (await read('--admin-password-file', file)).toString('utf8').replace(/\r?\n$/, '');
  const given = environment['MAILVET_ADMIN_PASSWORD'] ?? '';
  return given === '' ? null : given;
}

async function read(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Failure('bad_input', `${flag}: the file ${path} cannot be read.`, { cause: error });
  }
}

async function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
