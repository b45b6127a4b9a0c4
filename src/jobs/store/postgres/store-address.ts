import { readProblem, readSmallFile } from '../../../disk/own-file.js';
import { Failure } from '../../../model/failure.js';

/** How to connect to a database. */
export interface StoreAddress {
  /** For messages: the location, without user and password. */
  name: string;
  host: string;
  port: number;
  user?: string;
  password?: string;
  database: string;
  /** False: unencrypted. */
  ssl: false | { rejectUnauthorized: boolean; servername?: string; ca?: string; cert?: string; key?: string };
}

const knownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'user', 'password', 'dbname'];
const modes = ['disable', 'require', 'verify-full'] as const;

/**
 * Parses `postgres://user:password@host:port/database?sslmode=…`. Network connections are encrypted and the certificate is verified
 * by default; PostgreSQL's own default `prefer` would allow a man in the middle.
 */
export function parseStoreAddress(text: string): StoreAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) throw invalidAddress();
  const parameters = url.searchParams;
  for (const name of parameters.keys())
    if (!knownParameters.includes(name))
      throw new Failure('usage', `Unknown parameter "${name.slice(0, 40)}" in the store address.`, {
        hint: `Allowed after the question mark: ${knownParameters.join(', ')}.`,
      });
  const host = parameters.get('host') ?? (decode(url.hostname).replace(/^\[|\]$/g, '') || 'localhost');
  const port = Number(parameters.get('port') || url.port || 5432);
  const user = parameters.get('user') ?? decode(url.username);
  const password = parameters.get('password') ?? decode(url.password);
  const database = parameters.get('dbname') ?? decode(url.pathname.slice(1));
  if (database === '' || !Number.isInteger(port) || port < 1 || port > 65_535) throw invalidAddress();
  return {
    name: host.startsWith('/') ? `${host}/${database}` : `${host}:${port}/${database}`,
    host,
    port,
    database,
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ssl: readTls(parameters, host),
  };
}

/** A password may contain a percent sign that is not encoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidAddress();
  }
}

function readTls(parameters: URLSearchParams, host: string): StoreAddress['ssl'] {
  const mode = parameters.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (!modes.some((known) => known === mode))
    throw new Failure('usage', `mailvet does not support sslmode=${mode.slice(0, 40)} in the store address.`, {
      hint: `Use ${modes.join(', ')}; require encrypts, but does not verify the certificate of the server.`,
    });
  if (mode === 'disable') return false;
  const file = (name: string): string | undefined => {
    const path = parameters.get(name);
    return path === null ? undefined : readPem(name, path);
  };
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map(file);
  return {
    rejectUnauthorized: mode === 'verify-full',
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function readPem(name: string, path: string): string {
  try {
    return readSmallFile(path).toString('utf8');
  } catch (cause) {
    throw new Failure('usage', `Cannot read the ${name} file of the store: ${path} (${readProblem(cause)}).`, {
      cause,
    });
  }
}

/** The message does not repeat the text, which may contain a password. */
function invalidAddress(): Failure {
  return new Failure('usage', 'The store address is not valid.', {
    hint: 'It looks like postgres://user:password@host:5432/database; percent-encode special characters in the password.',
  });
}
