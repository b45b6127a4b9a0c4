import { bool, choice, define, duration, file, integer, isNetwork, list, text } from './value-kinds.js';

const network = 'an address block such as 10.0.0.0/8 or fd00::/8';

/** The settings of `serve`, whose keys begin with `serve.`. */
export const serveDefinitions = {
  serveHost: define<string>({
    key: 'serve.host',
    // Node would listen on all addresses for an empty host, such as an unset variable.
    kind: text('an address or a name of this machine; 0.0.0.0 or :: for all', () => true),
    default: '127.0.0.1',
    description: 'address to listen on; 0.0.0.0 or :: for all',
    flag: '--host <address>',
  }),
  servePort: define<number>({
    key: 'serve.port',
    kind: integer(0, 65_535),
    default: 8080,
    description: 'port to listen on; 0 for any free port',
    flag: '--port <n>',
  }),
  servePublicUrls: define<readonly string[]>({
    key: 'serve.public_urls',
    kind: list('a URL', () => true),
    default: [],
    description: 'address of the web application for browsers (repeatable)',
    flag: '--public-url <url>',
  }),
  serveTrustedProxies: define<readonly string[]>({
    key: 'serve.trusted_proxies',
    kind: list(network, () => true),
    default: [],
    description: 'network of a proxy whose X-Forwarded headers count (repeatable)',
    flag: '--trust-proxy <cidr>',
  }),
  serveUserHeader: define<string | null>({
    key: 'serve.user_header',
    kind: text('the name of a header', () => true),
    default: null,
    description: 'header in which a trusted proxy names the member by email address',
  }),
  serveTlsCert: define<string | null>({
    key: 'serve.tls_cert',
    kind: file,
    default: null,
    description: 'certificate chain (PEM), to serve https',
  }),
  serveTlsKey: define<string | null>({
    key: 'serve.tls_key',
    kind: file,
    default: null,
    description: 'private key of the certificate (PEM)',
  }),
  serveWeb: define<boolean>({
    key: 'serve.web',
    kind: bool,
    default: true,
    description: 'serve the web application, too',
  }),
  serveAdminPasswordFile: define<string | null>({
    key: 'serve.admin_password_file',
    kind: file,
    default: null,
    description: 'file with the password of the web application (else MAILVET_ADMIN_PASSWORD)',
  }),
  serveJobs: define<boolean>({
    key: 'serve.jobs',
    kind: bool,
    default: true,
    description: 'run jobs in this process; with a store, a "mailvet worker" can run them instead',
  }),
  serveExclude: define<readonly string[]>({
    key: 'serve.exclude',
    kind: list('a path to a file', (value) => !value.includes('\0')),
    default: [],
    description: 'suppression list whose addresses are never asked for (repeatable)',
  }),
  serveDelivered: define<boolean>({
    key: 'serve.delivered',
    kind: bool,
    default: false,
    description: 'let keys know from "bounces --learn" which mailboxes took mail of this installation',
  }),
  serveWebhookNetworks: define<readonly string[]>({
    key: 'serve.webhook_networks',
    kind: list(network, isNetwork),
    default: [],
    description: 'private network that webhooks may be sent to (repeatable)',
  }),
  serveMaxRows: define<number>({
    key: 'serve.max_rows',
    kind: integer(1, 10_000_000),
    default: 1_000_000,
    description: 'maximum rows of an uploaded file',
  }),
  serveMaxFileSize: define<number>({
    key: 'serve.max_file_size',
    kind: integer(1, 10_000),
    default: 64,
    description: 'maximum size of an uploaded file in MB',
  }),
  serveRateLimit: define<number>({
    key: 'serve.rate_limit',
    kind: integer(1, 999_999_999),
    default: 100_000,
    description: 'maximum requests per second for each key',
  }),
  serveMaxConnections: define<number>({
    key: 'serve.max_connections',
    kind: integer(1, 999_999_999),
    default: 4_096,
    description: 'maximum connections at a time',
  }),
  serveDrainMs: define<number>({
    key: 'serve.drain',
    kind: duration(0, 600_000),
    default: 0,
    description: 'how long /readyz fails and requests are accepted after SIGTERM, until load balancers notice',
  }),
  serveLogLevel: define<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    key: 'serve.log_level',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    description: 'minimum level of messages on stderr',
  }),
  serveLogFormat: define<'json' | 'pretty' | null>({
    key: 'serve.log_format',
    kind: choice('json', 'pretty'),
    default: null,
    description: 'JSON lines, or readable lines (default: pretty on a terminal, else json)',
  }),
};
