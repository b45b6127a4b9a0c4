import { Failure } from '../../../model/failure.js';

interface DatabaseError {
  code?: string;
  message: string;
}

/** Whether the connection or the server failed, so that the statement may succeed later. */
export function isTransient(error: unknown): boolean {
  const { code = '', message } = asError(error);
  // 08: connection; 57P: shutting down, crashed, starting up; 53300: no free connection; 25P03: idle in a transaction for too long;
  // 25006: a standby, until the name points to the primary (PostgreSQL, "Error Codes").
  if (/^(?:08|57P0|53300|25P03|25006)/.test(code) || networkCodes.has(code)) return true;
  return /^(?:Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered|Client was closed)/.test(
    message,
  );
}

/** Whether the server is a standby. */
export function isReadOnly(error: unknown): boolean {
  return asError(error).code === '25006';
}

/** Whether the transaction lost a deadlock or a serialization conflict. */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01'].includes(asError(error).code ?? '');
}

/** Whether a unique key refused a row. */
export function isDuplicate(error: unknown): boolean {
  return asError(error).code === '23505';
}

/** Whether an error of the database, or the cause of its Failure, may not occur again. */
export function isRetryable(thrown: unknown): boolean {
  const error = thrown instanceof Failure ? thrown.cause : thrown;
  return isTransient(error) || isCollision(error);
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The Unix socket of a server that is stopped does not exist.
  'ENOENT',
]);

/** Converts a database error to a Failure without password and address. Rethrows other errors. */
export function databaseFailure(thrown: unknown, name: string): Failure {
  if (thrown instanceof Failure) return thrown;
  const error = asError(thrown);
  const { code = '' } = error;
  const fault = faults.find(({ pattern }) => pattern.test(code) || pattern.test(error.message));
  const isForeign = fault !== undefined || isTransient(thrown) || /^[0-9A-Z]{5}$/.test(code);
  if (!isForeign) throw thrown;
  const sentence =
    fault?.sentence ?? (isTransient(thrown) ? `cannot be reached (${reasonOf(error)})` : `refused: ${error.message}`);
  return new Failure('storage', `The database ${name} ${sentence}.`, {
    hint: fault?.hint ?? 'Check that PostgreSQL runs and that its address is right: mailvet store check',
    cause: thrown,
  });
}

function reasonOf({ code, message }: DatabaseError): string {
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ENOENT: 'there is no such socket',
    ENOTFOUND: 'there is no such host',
    ETIMEDOUT: 'no answer',
    '57P03': 'it is starting up',
    '53300': 'it has no connection left',
  };
  return reasons[code ?? ''] ?? message.replace(/\.$/, '');
}

function asError(thrown: unknown): DatabaseError {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return asError(thrown.errors[0]);
  return thrown instanceof Error ? (thrown as DatabaseError) : { message: String(thrown) };
}

const faults: { pattern: RegExp; sentence: string; hint: string }[] = [
  {
    pattern: /^28|no password supplied|password must be a string/,
    sentence: 'refused the user or the password',
    hint: 'Check the address in MAILVET_STORE or in the setting store.',
  },
  {
    pattern: /^3D000$/,
    sentence: 'does not exist',
    hint: 'Create it with: createdb NAME, then: mailvet store migrate',
  },
  {
    pattern: /^(?:42P01|3F000)$/,
    sentence: 'contains no mailvet store',
    hint: 'Prepare it with: mailvet store migrate',
  },
  {
    pattern: /^42501$/,
    sentence: 'does not permit this user to do that',
    hint: 'The user must own the schema mailvet, or be allowed to create it: GRANT CREATE ON DATABASE … TO …',
  },
  {
    pattern: /^(?:53100|53200)$/,
    sentence: 'has no space left',
    hint: 'Free some space on its disk; all finished work is kept.',
  },
  {
    pattern: /^25006$/,
    sentence: 'is read-only',
    hint: 'It may be a replica: use the address of the primary server.',
  },
  {
    pattern: /^57014$/,
    sentence: 'canceled a statement that took longer than its statement_timeout',
    hint: "Give this user more time: ALTER ROLE … SET statement_timeout = '2min'",
  },
  {
    pattern: /^timeout exceeded when trying to connect/,
    sentence: 'is so slow that all connections of this process are busy',
    hint: 'Look for slow statements there, or allow more connections with the setting store_connections.',
  },
  {
    pattern: /does not support SSL/,
    sentence: 'does not offer TLS',
    hint: 'Enable TLS there, or add ?sslmode=disable to the address if the network is trusted.',
  },
  {
    pattern: /CERT|certificate|self.signed|altnames|ERR_TLS/i,
    sentence: 'could not be verified: its certificate is not trusted or is for another name',
    hint: 'Give the certificate authority with ?sslrootcert=FILE in the address.',
  },
];

/** Reports once why the database is lost, and once that it is back. */
export class Outage {
  /** Statements that only read succeed meanwhile. */
  isReadOnly = false;
  /** Null while the database answers. */
  since: number | null = null;
  private endedAt = Number.NEGATIVE_INFINITY;
  /** End the pauses of those that try again. */
  private readonly pauses = new Set<() => void>();

  constructor(
    private readonly name: string,
    private readonly onNote: (text: string) => void,
  ) {}

  /** Records that a statement failed. One that started before the end of the last outage is ignored. */
  begin(error: unknown, startedAt: number): void {
    if (startedAt < this.endedAt) return;
    // After a failover the name may lead to a standby: another reason, which is reported, too.
    const isStandby = isReadOnly(error) && !this.isReadOnly;
    if (this.since !== null && !isStandby) return;
    this.since ??= performance.now();
    this.isReadOnly = isStandby;
    const { message } = databaseFailure(error, this.name);
    this.onNote(`${message} (${new Date().toISOString()}) mailvet keeps trying; finished work is not lost.`);
  }

  /** Records that a statement succeeded. One that started before the outage is ignored. */
  end(startedAt: number): void {
    if (this.since === null || startedAt <= this.since) return;
    this.endedAt = performance.now();
    const seconds = Math.max(1, Math.round((this.endedAt - this.since) / 1000));
    this.since = null;
    this.isReadOnly = false;
    for (const endPause of this.pauses) endPause();
    this.onNote(`The database ${this.name} answers again, after ${seconds} s (${new Date().toISOString()}).`);
  }

  /** Resolves after that time, or as soon as the outage ends. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const endPause = (): void => {
        clearTimeout(timer);
        this.pauses.delete(endPause);
        resolve();
      };
      const timer = setTimeout(endPause, ms);
      this.pauses.add(endPause);
    });
  }
}
