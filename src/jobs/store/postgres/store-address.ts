import { readFileSync } from 'node:fs';
import { Failure } from '../../../model/failure.js';

/** How a database is reached. */
export interface StoreAddress {
  /** For people: where it is, without user and password. */
  name: string;
  host: string;
  port: number;
  user?: string;
  password?: string;
  database: string;
  /** False: unencrypted. */
  ssl: false | { rejectUnauthorized: boolean; servername?: string; ca?: string; cert?: string; key?: string };
}

const knownWords = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'user', 'password', 'dbname'];
const modes = ['disable', 'require', 'verify-full'] as const;

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. Over a network it is encrypted and the server must prove its name,
 * unless the address says otherwise; PostgreSQL's own `prefer` gives in to whoever stands between.
 */
export function parseStoreAddress(text: string): StoreAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) throw notAnAddress();
  const words = url.searchParams;
  for (const word of words.keys()) if (!knownWords.includes(word)) throw unknownWord(word);
  const host = words.get('host') ?? (decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '') || 'localhost');
  const port = Number(words.get('port') ?? (url.port || 5432));
  const user = words.get('user') ?? decodeURIComponent(url.username);
  const password = words.get('password') ?? decodeURIComponent(url.password);
  const database = words.get('dbname') ?? decodeURIComponent(url.pathname.slice(1));
  if (database === '' || !Number.isInteger(port)) throw notAnAddress();
  return {
    name: host.startsWith('/') ? `${host}/${database}` : `${host}:${port}/${database}`,
    ...{ host, port, database },
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ssl: readTls(words, host),
  };
}

function readTls(words: URLSearchParams, host: string): StoreAddress['ssl'] {
  const mode = words.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (!modes.some((known) => known === mode)) throw unknownMode(mode);
  if (mode === 'disable') return false;
  const file = (word: string): string | undefined => {
    const path = words.get(word);
    return path === null ? undefined : readPem(word, path);
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

function readPem(word: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure('usage', `The file that the store's ${word} names cannot be read: ${path}`, { cause });
  }
}

/** Nothing of the text is repeated: there may be a password in it. */
function notAnAddress(): Failure {
  return new Failure('usage', 'The address of the store cannot be read.', {
    hint: 'It looks like postgres://user:password@host:5432/database; percent-encode special characters in the password.',
  });
}

function unknownWord(word: string): Failure {
  return new Failure('usage', `The address of the store has "${word.slice(0, 40)}", which mailvet does not know.`, {
    hint: `Allowed after the question mark: ${knownWords.join(', ')}.`,
  });
}

function unknownMode(mode: string): Failure {
  return new Failure(
    'usage',
    `The address of the store has sslmode=${mode.slice(0, 40)}, which mailvet does not use.`,
    {
      hint: `Use ${modes.join(', ')}; require encrypts without checking who answers.`,
    },
  );
}
