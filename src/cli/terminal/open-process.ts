import { Failure } from '../../model/failure.js';
import { colorPreference, processEnvironment, showsUnicode } from '../../settings/environment.js';
import {
  descriptorSink,
  isDevice,
  isPipedDescriptor,
  isPlainDescriptor,
  lazyTerminal,
  resolveColor,
  type Sink,
  streamSink,
} from './terminal.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Opens the streams. The first SIGINT, SIGTERM or SIGHUP aborts the signal; a second one ends the process. */
export function openProcess() {
  const environment = processEnvironment();
  const interrupted = new AbortController();
  const removeListeners = (): void => {
    for (const name of signals) process.removeListener(name, onSignal);
  };
  const onSignal = (): void => {
    // Not at once: signal-exit, which a spinner loads, ends the process if its own listener is the only one.
    process.nextTick(removeListeners);
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
  const preference = colorPreference(environment);
  const unicode = showsUnicode(environment);
  const plainColor = resolveColor(preference, false);
  const openStream = (stream: NodeJS.WriteStream, descriptor: number): Sink => {
    const { isTTY: isTty = false } = stream;
    const color = resolveColor(preference, isTty);
    return streamSink(stream, {
      descriptor,
      isTty,
      color,
      unicode,
      get columns() {
        return stream.columns || 80;
      },
    });
  };
  const openStdout = (): Sink =>
    isPlainDescriptor(1) ? descriptorSink(1, plainColor, unicode) : openStream(process.stdout, 1);
  const openStderr = (): Sink => {
    if (!isPlainDescriptor(2)) return openStream(process.stderr, 2);
    let opened: Sink | null = null;
    const write: Sink['write'] = (data) => {
      opened ??= openStream(process.stderr, 2);
      return opened.write(data);
    };
    return { descriptor: 2, isTty: false, columns: 80, color: plainColor, unicode, write };
  };
  let isStdinUsed = false;
  const stdin = {
    descriptor: 0,
    get isTty() {
      return process.stdin.isTTY === true;
    },
    get isPiped() {
      return isPipedDescriptor(0);
    },
    get isNullDevice() {
      return process.stdin.isTTY !== true && isDevice(0);
    },
    get stream() {
      isStdinUsed = true;
      return process.stdin;
    },
  };
  return {
    terminal: lazyTerminal(stdin, openStdout, openStderr),
    environment,
    signal: interrupted.signal,
    /** Rejects with the first uncaught error. */
    uncaughtError,
    /** Removes the listeners and closes stdin, so that the process can end. */
    close: (): void => {
      process.removeListener('uncaughtException', onUncaught);
      removeListeners();
      if (isStdinUsed) process.stdin.destroy();
    },
  };
}
