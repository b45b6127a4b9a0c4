import { Failure } from '../../model/failure.js';
import { colorPreference, type Environment, processEnvironment, showsUnicode } from '../../settings/environment.js';
import {
  descriptorSink,
  isDevice,
  isPlainDescriptor,
  resolveColor,
  type Sink,
  streamSink,
  type Terminal,
} from './terminal.js';

/** The streams, environment and signals of this process. */
interface OpenedProcess {
  terminal: Terminal;
  environment: Environment;
  signal: AbortSignal;
  /** Rejects with the first uncaught error. */
  uncaughtError: Promise<never>;
  /** Removes the listeners and closes stdin, so that the process can end. */
  close(): void;
}

/** Opens the streams. The first SIGINT, SIGTERM or SIGHUP aborts the signal; a second one ends the process. */
export function openProcess(): OpenedProcess {
  const environment = processEnvironment();
  const interrupted = new AbortController();
  const onSignal = (): void => {
    for (const name of signals) process.removeListener(name, onSignal);
    interrupted.abort(new Failure('interrupted', 'Interrupted.'));
  };
  for (const name of signals) process.on(name, onSignal);
  let onUncaught: (error: unknown) => void = () => {};
  const uncaughtError = new Promise<never>((_, reject) => {
    onUncaught = reject;
  });
  // It may reject while no command awaits it.
  uncaughtError.catch(() => {});
  process.on('uncaughtException', onUncaught);
  let stdinUsed = false;
  let stdout: Sink | null = null;
  let stderr: Sink | null = null;
  const preference = colorPreference(environment);
  const unicode = showsUnicode(environment);
  // Streams are created on first use, since each takes milliseconds.
  const terminal: Terminal = {
    stdin: {
      descriptor: 0,
      get isTty() {
        return process.stdin.isTTY === true;
      },
      get isPiped() {
        return isPlainDescriptor(0);
      },
      get isNullDevice() {
        return process.stdin.isTTY !== true && isDevice(0);
      },
      get stream() {
        stdinUsed = true;
        return process.stdin;
      },
    },
    get stdout() {
      stdout ??= isPlainDescriptor(1)
        ? descriptorSink(1, resolveColor(preference, false), unicode)
        : processSink(process.stdout, 1, preference, unicode);
      return stdout;
    },
    get stderr() {
      stderr ??= isPlainDescriptor(2)
        ? lazySink(2, resolveColor(preference, false), unicode, () =>
            processSink(process.stderr, 2, preference, unicode),
          )
        : processSink(process.stderr, 2, preference, unicode);
      return stderr;
    },
  };
  return {
    terminal,
    environment,
    signal: interrupted.signal,
    uncaughtError,
    close: () => {
      process.removeListener('uncaughtException', onUncaught);
      for (const name of signals) process.removeListener(name, onSignal);
      if (stdinUsed) process.stdin.destroy();
    },
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens the stream on the first write. */
function lazySink(descriptor: number, color: boolean, unicode: boolean, open: () => Sink): Sink {
  let opened: Sink | null = null;
  return {
    ...{ descriptor, isTty: false, columns: 80, color, unicode },
    write: (text) => {
      opened ??= open();
      return opened.write(text);
    },
  };
}

function processSink(
  stream: NodeJS.WriteStream,
  descriptor: number,
  preference: 'always' | 'never' | 'auto',
  unicode: boolean,
): Sink {
  const isTty = stream.isTTY === true;
  return streamSink(stream, {
    descriptor,
    isTty,
    columns: stream.columns || 80,
    color: resolveColor(preference, isTty),
    unicode,
  });
}
