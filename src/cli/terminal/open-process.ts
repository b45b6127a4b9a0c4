import { Failure } from '../../model/failure.js';
import { colorPreference, type Environment, processEnvironment, showsUnicode } from '../../settings/environment.js';
import { descriptorSink, isDevice, isPlainDescriptor } from './descriptor-sink.js';
import { resolveColor, type Sink, streamSink, type Terminal } from './terminal.js';

/** This process as the command line sees it. */
interface OpenedProcess {
  terminal: Terminal;
  environment: Environment;
  signal: AbortSignal;
  /** Rejects with the first error that nobody caught. */
  uncaughtError: Promise<never>;
  /** Hands the signals back and lets go of stdin, so that the process can end. */
  close(): void;
}

/** Wraps the streams and turns the first Ctrl-C, SIGTERM or hang-up into an abort; a second one ends the process at once. */
export function openProcess(): OpenedProcess {
  const environment = processEnvironment();
  const interrupted = new AbortController();
  const onSignal = (): void => {
    // With our handler gone, the system's own takes the next one.
    for (const name of signals) process.removeListener(name, onSignal);
    interrupted.abort(new Failure('interrupted', 'Interrupted.'));
  };
  for (const name of signals) process.on(name, onSignal);
  let onUncaught: (error: unknown) => void = () => {};
  const uncaughtError = new Promise<never>((_, reject) => {
    onUncaught = reject;
  });
  // Nobody may be waiting for it when it comes.
  uncaughtError.catch(() => {});
  process.on('uncaughtException', onUncaught);
  let stdinUsed = false;
  let stdout: Sink | null = null;
  let stderr: Sink | null = null;
  const wish = colorPreference(environment);
  const unicode = showsUnicode(environment);
  // Making a stream takes milliseconds, and few commands need all three.
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
        ? descriptorSink(1, resolveColor(wish, false), unicode)
        : processSink(process.stdout, 1, wish, unicode);
      return stdout;
    },
    get stderr() {
      stderr ??= isPlainDescriptor(2)
        ? lazySink(2, resolveColor(wish, false), unicode, () => processSink(process.stderr, 2, wish, unicode))
        : processSink(process.stderr, 2, wish, unicode);
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

/** No terminal, and perhaps never written to: its stream is made with the first word. */
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
  wish: 'always' | 'never' | 'auto',
  unicode: boolean,
): Sink {
  const isTty = stream.isTTY === true;
  return streamSink(stream, {
    descriptor,
    isTty,
    columns: stream.columns || 80,
    color: resolveColor(wish, isTty),
    unicode,
  });
}
