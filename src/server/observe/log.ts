/** The minimum level. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  level: LogLevel;
  /** Writes complete lines. */
  write(lines: string): void;
}

interface AnsweredRequest {
  reqId: string;
  method: string;
  /** The pattern of the route: a path may contain an id, and a query an address. */
  route: string;
  status: number;
  ms: number;
  /** The id of the API key, never the key itself. */
  keyId: string | undefined;
}

/** One JSON object per line, never a key or an address. */
export type Log = ReturnType<typeof openLog>;

/** The levels of pino, so that its tools read these lines. */
const levelNumbers: Record<LogLevel, number> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, silent: 100 };

/** The local part is limited, so that the time stays linear. */
const quotedAddress = /"(?:[^"\\\r\n]|\\.){0,130}"(?:@|%40)[^\s"'<>(),;:]+/g;

/** Masks anything that looks like a key or an address. */
export function maskPrivateText(text: string): string {
  return text
    .replace(/mv_[A-Za-z0-9_-]{8,}/g, 'mv_…')
    .replace(quotedAddress, '…@…')
    .replace(/(?<![^\s"'<>(),;:])[^\s"'<>(),;:]+(?:@|%40)[^\s"'<>(),;:]+/g, '…@…')
    .slice(0, 4_000);
}

/** Lines are written in batches: a write per request would block. */
const writeIntervalMs = 20;
const bufferBytes = 64 * 1024;

export function openLog({ level, write }: LogOptions) {
  const minLevel = levelNumbers[level];
  // As bytes: thousands of small strings slow down garbage collection.
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let usedBytes = 0;
  const flush = (): void => {
    const end = usedBytes;
    usedBytes = 0;
    if (end > 0) write(buffer.toString('utf8', 0, end));
  };
  const add = (line: string): void => {
    // At most three bytes per character.
    if (line.length * 3 > bufferBytes - usedBytes) flush();
    if (usedBytes === 0) setTimeout(flush, writeIntervalMs);
    usedBytes += buffer.write(line, usedBytes);
  };
  const isInfoEnabled = minLevel <= levelNumbers.info;
  const fail = (fields: object, msg: string): void => {
    if (minLevel > levelNumbers.error) return;
    add(`${JSON.stringify({ level: levelNumbers.error, time: Date.now(), ...fields, msg })}\n`);
  };
  return {
    flush,
    answered: ({ reqId, method, route, status, ms, keyId }: AnsweredRequest) => {
      if (!isInfoEnabled) return;
      const keyField = keyId === undefined ? '' : `,"key":"${keyId}"`;
      // Formatted by hand, since it runs for each request. None of these values needs escaping.
      add(
        `{"level":30,"time":${Date.now()},"reqId":"${reqId}","method":"${method}","route":"${route}","status":${status},"ms":${ms}${keyField},"msg":"answered"}\n`,
      );
    },
    info: (msg: string) => {
      if (isInfoEnabled) add(`${JSON.stringify({ level: levelNumbers.info, time: Date.now(), msg })}\n`);
    },
    /** An error while a request was handled. */
    requestFailed: (reqId: string, code: string, error: unknown) =>
      fail({ reqId, err: describeError(error), code }, 'failed'),
    /** An error outside of any request. */
    error: (error: unknown) => fail({ err: describeError(error) }, 'background error'),
  };
}

function describeError(thrown: unknown): { type: string; message: string; stack: string } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { type: error.name, message: '', stack: maskPrivateText(error.stack ?? error.message) };
}
