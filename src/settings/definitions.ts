import type { Level } from '../model/evidence.js';
import { Failure } from '../model/failure.js';
import { nearestName } from '../model/nearest-name.js';
import { isStatusOrReason } from '../model/verdict.js';
import { isQueue, isStore } from './secrets.js';
import { serveDefinitions } from './serve-definitions.js';
import {
  bool,
  choice,
  type Definition,
  define,
  duration,
  file,
  integer,
  isBaseUrl,
  isEhloName,
  isHostAndPort,
  isNetwork,
  isSender,
  isSocksProxy,
  isSourceAddress,
  list,
  text,
} from './value-kinds.js';

/** Defaults of `timeout`: for an address, and for remote requests of each kind. */
export const defaultTimeoutsMs = { address: 30_000, single: 60_000, bulk: 300_000, upload: 300_000, jobs: 30_000 };

/** Defaults of `concurrency`: SMTP sessions, addresses of `validate`, and remote requests. */
export const defaultConcurrency = { sessions: 100, addresses: 20, requests: 4 };

/** The default of `greylist_wait` for a list. */
export const defaultGreylistWaitMs = 20 * 60_000;

/** Every setting, by its name in `Settings`. Resolution, flags and `config` derive from this table; docs/settings.md repeats it. */
export const definitions = {
  mode: define<'local' | 'remote' | 'hybrid'>({
    key: 'mode',
    kind: choice('local', 'remote', 'hybrid'),
    default: 'local',
    description: 'back end: the bundled engine, a remote service, or the engine first and the service for the rest',
  }),
  baseUrl: define<string | null>({
    key: 'base_url',
    kind: text('an http or https URL without user, query or fragment', isBaseUrl),
    default: null,
    description: 'address of the remote service; /api/v1 is appended if it is missing',
    flag: '--base-url <url>',
  }),
  apiKey: define<string | null>({
    key: 'api_key',
    // The JSON of "keys create" is a mistake that a service could only call a wrong key.
    kind: text('printable ASCII without spaces; of JSON, only the field "key"', (value) =>
      /^(?!\{)[\x21-\x7e]{1,512}$/.test(value),
    ),
    default: null,
    description: 'key for the remote service',
    secret: true,
  }),
  level: define<Level>({
    key: 'level',
    kind: choice('syntax', 'dns', 'smtp'),
    default: 'smtp',
    description: 'how deep to check',
    flag: '--level <level>',
  }),
  timeoutMs: define<number | null>({
    key: 'timeout',
    kind: duration(100, 3_600_000),
    default: null,
    usedDefault: { local: defaultTimeoutsMs.address, remote: defaultTimeoutsMs.single },
    description: 'maximum wait for an address (default: 30s), or a remote request (default: 1m; lists 5m, jobs 30s)',
    flag: '--timeout <time>',
  }),
  concurrency: define<number | null>({
    key: 'concurrency',
    kind: integer(1, 10_000),
    default: null,
    usedDefault: { local: defaultConcurrency.sessions, remote: defaultConcurrency.requests },
    description: 'maximum SMTP sessions (default: 100), or remote requests (default: 4), at a time',
    flag: '--concurrency <n>',
  }),
  resolvers: define<readonly string[]>({
    key: 'resolvers',
    kind: list(
      'an IP address or a name, with its port if that is not 53: 192.0.2.53:5353 or [2001:db8::53]:5353',
      isHostAndPort,
    ),
    default: [],
    description: "DNS servers to ask instead of the system's (repeatable)",
  }),
  ehloName: define<string | null>({
    key: 'ehlo_name',
    kind: text('a host name, or an address in brackets', isEhloName),
    default: null,
    description: 'host name for EHLO (default: the full name of this machine)',
  }),
  mailFrom: define<string | null>({
    key: 'mail_from',
    kind: text('an address, or <>', isSender),
    default: null,
    description: 'sender address for MAIL FROM (default: <>)',
  }),
  blockLists: define<boolean>({
    key: 'block_lists',
    kind: bool,
    default: true,
    description: 'ask block lists in "mailvet doctor" whether they have the address of this machine',
  }),
  smtpPort: define<number>({
    key: 'smtp_port',
    kind: integer(1, 65_535),
    default: 25,
    description: 'port to reach mail servers on',
  }),
  tls: define<'offered' | 'required'>({
    key: 'tls',
    kind: choice('offered', 'required'),
    default: 'offered',
    description: 'when to use TLS with mail servers: if they offer it, or only if they require it (faster)',
  }),
  proxy: define<string | null>({
    key: 'proxy',
    kind: text('socks5://[user:password@]host[:port], or several', isSocksProxy),
    default: null,
    description: 'SOCKS proxies to reach mail servers through, comma-separated',
  }),
  sourceIp: define<string | null>({
    key: 'source_ip',
    kind: text('an IPv4 or IPv6 address of this machine, or several', isSourceAddress),
    default: null,
    description: 'addresses of this machine to reach mail servers from, comma-separated',
  }),
  allowNetworks: define<readonly string[]>({
    key: 'allow_networks',
    kind: list('an address block such as 10.0.0.0/8 or fd00::/8', isNetwork),
    default: [],
    description: 'private network whose mail servers may be contacted (repeatable)',
  }),
  ai: define<boolean>({
    key: 'ai',
    kind: bool,
    default: true,
    description: 'estimate how plausible a local part is when nothing better is known',
  }),
  allowList: define<string | null>({
    key: 'allow_list',
    kind: file,
    default: null,
    description: 'file of domains that never count as disposable',
  }),
  denyList: define<string | null>({
    key: 'deny_list',
    kind: file,
    default: null,
    description: 'file of domains that count as disposable',
  }),
  replyRules: define<string | null>({
    key: 'reply_rules',
    kind: file,
    default: null,
    description: 'file with your own rules for reading replies of mail servers',
  }),
  greylistWaitMs: define<number | null>({
    key: 'greylist_wait',
    kind: duration(0, 86_400_000),
    default: null,
    usedDefault: { local: defaultGreylistWaitMs, remote: defaultGreylistWaitMs },
    description: 'how long a list waits for mail servers that say "try later" (first retry after 1m; default: 20m)',
    flag: '--greylist-wait <time>',
  }),
  keepJobsMs: define<number | null>({
    key: 'keep_jobs',
    kind: duration(3_600_000, 36_500 * 86_400_000),
    default: null,
    description: 'how long jobs are kept after they ended, such as 90d (default: until deleted; on a server 90d)',
  }),
  keepAnswersMs: define<number>({
    key: 'keep_answers',
    kind: duration(86_400_000, 36_500 * 86_400_000),
    default: 30 * 86_400_000,
    description: 'how long answers are kept for --max-age and interrupted runs',
  }),
  store: define<string | null>({
    key: 'store',
    kind: text('postgres://user:password@host:5432/database, or @FILE with a file that contains it', isStore),
    default: null,
    description: 'database for jobs and keys, postgres://… or @FILE with its address (default: the data directory)',
    flag: '--store <address>',
  }),
  storeConnections: define<number>({
    key: 'store_connections',
    kind: integer(3, 100),
    default: 8,
    description: 'maximum connections of this process to the database',
  }),
  queue: define<string | null>({
    key: 'queue',
    kind: text('redis://user:password@host:6379/0, rediss://… for TLS, or @FILE with a file that contains it', isQueue),
    default: null,
    description: 'Redis for the queue of workers, redis://… or @FILE with its address (default: one process works)',
  }),
  ask: define<'here' | 'workers'>({
    key: 'ask',
    kind: choice('here', 'workers'),
    default: 'here',
    description: 'who asks mail servers for requests: "workers" for a node without a way out on port 25',
  }),
  retries: define<number>({
    key: 'retries',
    kind: integer(0, 20),
    default: 3,
    description: 'how many times to retry a failed remote request when that is safe',
  }),
  allowHttp: define<boolean>({
    key: 'allow_http',
    kind: bool,
    default: false,
    description: 'send the key over plain http to a host that is not this machine',
  }),
  maxCredits: define<number | null>({
    key: 'max_credits',
    kind: integer(0, 999_999_999),
    default: null,
    description: 'credits that one run may spend at a service (default: no limit; hybrid: 1000)',
  }),
  hybridSends: define<readonly string[]>({
    key: 'hybrid_sends',
    kind: list('a status or a reason, such as unknown or catch_all', isStatusOrReason),
    default: [],
    description: 'what hybrid sends to the service (default: unknown and catch-all ones, at level smtp)',
  }),
  maxRows: define<number | null>({
    key: 'max_rows',
    kind: integer(1, 999_999_999),
    default: null,
    description: 'rows in one file for a service; a longer one is sent in parts (default: what it says, or 10000)',
  }),
  ...serveDefinitions,
};

/** The credits that one run in hybrid may spend, unless the user says otherwise. */
export const defaultMaxCredits = 1_000;

export type SettingValues = { -readonly [Field in keyof typeof definitions]: (typeof definitions)[Field]['default'] };

export type SettingField = keyof SettingValues;

export const settingFields = Object.keys(definitions) as SettingField[];

export const engineSettings = [
  'level',
  'timeoutMs',
  'concurrency',
  'resolvers',
  'ehloName',
  'mailFrom',
  'smtpPort',
  'tls',
  'proxy',
  'sourceIp',
  'allowNetworks',
  'ai',
  'allowList',
  'denyList',
  'replyRules',
  'greylistWaitMs',
] as const satisfies readonly SettingField[];

export function definitionOf(field: SettingField): Definition<unknown> {
  return definitions[field];
}

/** The default of a setting as ` (default: 25)`; empty if there is none, or if its description has it. */
export function defaultNote({ kind, default: value }: Pick<Definition<unknown>, 'kind' | 'default'>): string {
  const hasNone = value === null || (Array.isArray(value) && value.length === 0);
  return hasNone ? '' : ` (default: ${kind.show(value as never)})`;
}

/** The environment variable of a key. */
export function variableOf(key: string): string {
  return `MAILVET_${key.toUpperCase().replaceAll('.', '_')}`;
}

export function fieldOfKey(key: string): SettingField | undefined {
  return settingFields.find((field) => definitions[field].key === key);
}

/** The setting of that name, in which hyphens count as underscores. Throws if there is none. */
export function requireSetting(name: string): SettingField {
  const key = name.replace(/^--/, '').replaceAll('-', '_');
  const keys = settingFields.map((each) => definitions[each].key);
  const field = fieldOfKey(key) ?? fieldOfKey(`${key}s`) ?? fieldOfKey(`serve.${key}`);
  if (field !== undefined) return field;
  const nearest = nearestName(key, keys);
  throw new Failure('usage', `There is no setting "${name.slice(0, 80)}".`, {
    hint:
      nearest === null ? `Allowed: ${keys.join(', ')}.` : `Did you mean ${nearest}? All of them: mailvet config list`,
  });
}

/** The setting of `--set` and `config set`. A key does not belong on a command line. */
export function requirePublicSetting(name: string): SettingField {
  const field = requireSetting(name);
  if (definitionOf(field).secret !== true) return field;
  throw new Failure('usage', 'A key does not belong on a command line, where others can read it.', {
    hint: 'Store it with "mailvet login", or "mailvet login --key-stdin" in a script.',
  });
}
