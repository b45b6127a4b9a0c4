import { once } from 'node:events';
import { readProblem, readSmallFile } from '../../../disk/own-file.js';
import { asFailure, Failure } from '../../../model/failure.js';
import { isLoopback } from '../../../wire/routes.js';
import type { Context, ServeOptions, ServerHandle } from '../../context.js';
import type { Sink } from '../../terminal/terminal.js';

/** The flags of `serve`. */
export type ServeFlags = {
  host: string;
  port: number;
  tlsCert?: string;
  tlsKey?: string;
  web: boolean;
  jobs: boolean;
  adminPasswordFile?: string;
  publicUrl?: string[];
  trustProxy?: string[];
  userHeader?: string;
  webhookNetwork?: string[];
  exclude?: string[];
  maxRows: number;
  /** In MB. */
  maxFileSize: number;
  rateLimit: number;
  maxConnections: number;
  /** In milliseconds. */
  drain?: number;
  logLevel: string;
  logFormat?: 'json' | 'pretty';
  check?: boolean;
  json?: boolean;
};

/** Serves until it is interrupted. That is its normal end, also while it starts or while a lost database delays it. */
export async function runServe(context: Context, flags: ServeFlags): Promise<number> {
  if (flags.check) return runCheck(context, flags);
  try {
    await serve(context, flags);
  } catch (error) {
    if (!context.signal.aborted || asFailure(error).code !== 'interrupted') throw error;
  }
  return 0;
}

async function serve(context: Context, flags: ServeFlags): Promise<void> {
  const { signal, terminal } = context;
  if (flags.exclude !== undefined) {
    await (await import('../../../service/suppression.js')).readSuppression(flags.exclude, context);
  }
  const { url, validKeys, pages, stop } = await context.startServer(await serveOptions(context, flags));
  await terminal.stdout.write(flags.json ? `${JSON.stringify({ url })}\n` : `Listening on ${url}\n`);
  if (pages !== null) announceWeb(context, pages);
  if (validKeys === 0) {
    context.note('There is no key yet, so every request is refused. Create one with: mailvet keys create --name NAME');
  }
  if (!isLoopback(flags.host) && flags.tlsCert === undefined) {
    context.note('Keys and addresses are sent unencrypted. Use --tls-cert and --tls-key, or a proxy with TLS.');
  }
  if (!signal.aborted) await once(signal, 'abort');
  await stop();
}

async function runCheck(
  { checkServer, terminal }: Context,
  { host, port, tlsCert, json }: ServeFlags,
): Promise<number> {
  await checkServer({ host, port, isTls: tlsCert !== undefined });
  await terminal.stdout.write(json ? '{"ready":true}\n' : 'The server is ready.\n');
  return 0;
}

function announceWeb({ note }: Context, { url, setUpUrl, areBuilt }: NonNullable<ServerHandle['pages']>): void {
  if (!areBuilt) {
    note('Only the API is served: the web pages are not built. Run: npm run build');
    return;
  }
  note(`Web application: ${url}`);
  if (setUpUrl !== null) note(`It has no password yet. Set one here, once: ${setUpUrl}`);
}

async function serveOptions(context: Context, flags: ServeFlags): Promise<Omit<ServeOptions, 'signal'>> {
  const { quiet, terminal } = context;
  const { host, port, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new Failure('usage', '--tls-cert and --tls-key must be given together.');
  }
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: readFlagFile('--tls-cert', tlsCert), key: readFlagFile('--tls-key', tlsKey) };
  return {
    host,
    port,
    tls,
    drainMs: flags.drain ?? 0,
    runsJobs: flags.jobs,
    exclude: flags.exclude ?? [],
    edge: {
      publicUrls: flags.publicUrl ?? [],
      trustedProxies: flags.trustProxy ?? [],
      userHeader: flags.userHeader ?? null,
    },
    webhookNetworks: flags.webhookNetwork ?? [],
    web: flags.web ? { adminPassword: await findAdminPassword(context, flags.adminPasswordFile) } : null,
    limits: {
      rows: flags.maxRows,
      fileBytes: flags.maxFileSize * 1024 * 1024,
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
  // The server continues if the log cannot be written.
  const write = (text: string): void => void stderr.write(text).catch(() => {});
  if ((format ?? (stderr.isTty ? 'pretty' : 'json')) === 'json') return write;
  const { renderLogLines } = await import('../../render/log-lines.js');
  return (lines) => write(renderLogLines(lines, stderr));
}

/** The password in the file, without a final line end, else in the environment; null if there is none. */
async function findAdminPassword(
  { environment }: Context,
  file: string | undefined,
): Promise<{ text: string; source: string } | null> {
  if (file !== undefined) {
    const bytes = readFlagFile('--admin-password-file', file);
    return { text: bytes.toString('utf8').replace(/\r?\n$/, ''), source: '--admin-password-file' };
  }
  const text = environment['MAILVET_ADMIN_PASSWORD'] ?? '';
  return text === '' ? null : { text, source: 'MAILVET_ADMIN_PASSWORD' };
}

function readFlagFile(flag: string, path: string): Buffer {
  try {
    return readSmallFile(path);
  } catch (error) {
    throw new Failure('bad_input', `${flag}: the file ${path} cannot be read: ${readProblem(error)}.`, {
      cause: error,
    });
  }
}
