import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

/** What pino knows. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** What is worth writing down. */
export interface LogOptions {
  level: LogLevel;
  /** Takes whole lines. */
  write(lines: string): void;
}

/** Text without anything that looks like a key or an address. */
export function discreetText(text: string): string {
  return text
    .replace(/mv_[A-Za-z0-9_-]{8,}/g, 'mv_…')
    .replace(/(?<![^\s"'<>(),;:])[^\s"'<>(),;:]+(?:@|%40)[^\s"'<>(),;:]+/g, '…@…')
    .slice(0, 4_000);
}

/** The logger of the web framework: one JSON object a line, never a key, and no address. */
export function loggerOptions({ level, write }: LogOptions): {
  logger: Exclude<FastifyServerOptions['logger'], undefined>;
  flush(): void;
} {
  let lines = '';
  const flush = (): void => {
    const ready = lines;
    lines = '';
    if (ready !== '') write(ready);
  };
  return {
    flush,
    logger: {
      level,
      base: null,
      // Lines of one turn of the event loop go out together: a busy server would else wait for the terminal at each request.
      stream: {
        write: (line: string) => {
          if (lines === '') setImmediate(flush);
          lines += line;
        },
      },
      serializers: {
        err: (error: Error) => ({ type: error.name, message: '', stack: discreetText(error.stack ?? error.message) }),
        req: () => ({}),
        res: () => ({}),
      },
    },
  };
}

/** Writes down something that went wrong beside any request. */
export function troubleLogger(log: FastifyBaseLogger): (error: unknown) => void {
  return (error) => {
    const thrown = error instanceof Error ? error : new Error(String(error));
    log.error({ err: thrown }, 'trouble in the background');
  };
}
