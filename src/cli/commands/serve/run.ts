import { once } from 'node:events';
import { readProblem, readSmallFile } from '../../../disk/own-file.js';
import { Failure } from '../../../model/failure.js';
import type { Settings } from '../../../settings/resolve.js';
import { isLoopback } from '../../../wire/routes.js';
import { type Context, type ServeOptions, untilInterrupted } from '../../context.js';
import type { Sink } from '../../terminal/terminal.js';

/** The flags of `serve` that are no settings. */
export type ServeFlags = { check?: boolean; json?: boolean };

/** Serves until it is interrupted. That is its normal end, also while it starts or while a lost database delays it. */
export async function runServe(context: Context, flags: ServeFlags): Promise<number> {
  if (!flags.check) {
    await untilInterrupted(context, serve(context, flags));
    return 0;
  }
  const { serveHost: host, servePort: port, serveTlsCert } = context.settings();
  await context.checkServer({ host, port, isTls: serveTlsCert !== null });
  await context.terminal.stdout.write(flags.json ? '{"ready":true}\n' : 'The server is ready.\n');
  return 0;
}

async function serve(context: Context, { json }: ServeFlags): Promise<void> {
  const { signal, terminal } = context;
  const settings = context.settings();
  if (settings.serveExclude.length > 0) {
    await (await import('../../../service/suppression.js')).readSuppression(settings.serveExclude, context);
  }
  const { url, validKeys, pages, stop } = await context.startServer(await serveOptions(context, settings));
  await terminal.stdout.write(json ? `${JSON.stringify({ url })}\n` : `Listening on ${url}\n`);
  if (pages?.areBuilt === false)
    context.note('Only the API is served: the web pages are not built. Run: npm run build');
  else if (pages !== null) {
    context.note(`Web application: ${pages.url}`);
    if (pages.setUpUrl !== null) context.note(`It has no password yet. Set one here, once: ${pages.setUpUrl}`);
  }
  if (validKeys === 0) {
    context.note('There is no key yet, so every request is refused. Create one with: mailvet keys create --name NAME');
  }
  if (!isLoopback(settings.serveHost) && settings.serveTlsCert === null) {
    context.note(
      'Keys and addresses are sent unencrypted. Use the settings serve.tls_cert and serve.tls_key, or a proxy with TLS.',
    );
  }
  if (!signal.aborted) await once(signal, 'abort');
  await stop();
}

async function serveOptions(context: Context, settings: Settings): Promise<Omit<ServeOptions, 'signal'>> {
  const { quiet, terminal } = context;
  const { serveTlsCert: cert, serveTlsKey: key, serveWeb, serveAdminPasswordFile } = settings;
  if ((cert === null) !== (key === null)) {
    throw new Failure('usage', 'serve.tls_cert and serve.tls_key must be given together.');
  }
  return {
    tls:
      cert === null || key === null
        ? null
        : { cert: readSettingFile('serve.tls_cert', cert), key: readSettingFile('serve.tls_key', key) },
    adminPassword: serveWeb ? findAdminPassword(context, serveAdminPasswordFile) : null,
    log: {
      level: quiet ? 'silent' : settings.serveLogLevel,
      write: await logWriter(terminal.stderr, settings.serveLogFormat),
    },
  };
}

async function logWriter(stderr: Sink, format: Settings['serveLogFormat']): Promise<(lines: string) => void> {
  // The server continues if the log cannot be written.
  const write = (text: string): void => void stderr.write(text).catch(() => {});
  if ((format ?? (stderr.isTty ? 'pretty' : 'json')) === 'json') return write;
  const { renderLogLines } = await import('../../render/log-lines.js');
  return (lines) => write(renderLogLines(lines, stderr));
}

/** The password in the file, without a final line end, else in the environment; null if there is none. */
function findAdminPassword({ environment }: Context, file: string | null): { text: string; source: string } | null {
  if (file !== null) {
    const bytes = readSettingFile('serve.admin_password_file', file);
    return { text: bytes.toString('utf8').replace(/\r?\n$/, ''), source: 'serve.admin_password_file' };
  }
  const text = environment['MAILVET_ADMIN_PASSWORD'] ?? '';
  return text === '' ? null : { text, source: 'MAILVET_ADMIN_PASSWORD' };
}

function readSettingFile(key: string, path: string): Buffer {
  try {
    return readSmallFile(path);
  } catch (error) {
    throw new Failure('bad_input', `${key}: the file ${path} cannot be read: ${readProblem(error)}.`, { cause: error });
  }
}
