import { asFailure, exitStatuses, Failure } from '../model/failure.js';
import type { Context, Runtime } from './context.js';
import type { CommonFlags } from './flags/read-common-flags.js';
import { openContext } from './open-context.js';
import { ClosedPipe, withoutColor, withSafeScreen } from './terminal/terminal.js';

/** Runs a command's work with a context made from its flags, to its exit status. */
export async function runCommand(
  given: Runtime,
  flags: CommonFlags,
  work: (context: Context) => Promise<number>,
): Promise<number> {
  const terminal = withSafeScreen(flags.noColour ? withoutColor(given.terminal) : given.terminal);
  const host = { ...given, terminal };
  const opened = openContext(host, flags);
  try {
    try {
      return await (host.uncaughtError === undefined
        ? work(opened.context)
        : Promise.race([work(opened.context), host.uncaughtError]));
    } finally {
      await opened.close();
    }
  } catch (thrown) {
    if (thrown instanceof ClosedPipe) return 0;
    const failure = host.signal.aborted ? asInterruption(thrown) : asFailure(thrown);
    return await showFailure(failure, host, flags, opened.redactSecrets);
  }
}

/** After Ctrl-C every error is its consequence, but for a Failure that says more. */
function asInterruption(thrown: unknown): Failure {
  if (thrown instanceof Failure && thrown.code === 'interrupted') return thrown;
  return new Failure('interrupted', 'Interrupted.', { cause: thrown });
}

/** Shows a Failure on stderr, and gives its exit status. */
export async function showFailure(
  failure: Failure,
  { terminal }: Runtime,
  flags: Pick<CommonFlags, 'json' | 'verbose' | 'quiet'>,
  withoutSecrets: (text: string) => string,
): Promise<number> {
  // Only a bug's stack is worth the noise; a Failure says what there is to say.
  const verbose = flags.verbose && (failure.code === 'internal' || failure.cause !== undefined);
  const { renderFailure } = await import('./terminal/failure-report.js');
  const { colour, columns, isTty } = terminal.stderr;
  const text = renderFailure(failure, { json: flags.json, verbose, colour, ...(isTty && { columns }) });
  await terminal.stderr.write(withoutSecrets(text)).catch(ignoreWriteError);
  return exitStatuses[failure.code];
}

/** Where even stderr cannot be written, the exit status alone has to say it. */
export function ignoreWriteError(): void {}
