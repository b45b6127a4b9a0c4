import { asFailure, exitStatuses, Failure } from '../model/failure.js';
import type { Context, Runtime } from './context.js';
import type { CommonFlags } from './flags/read-common-flags.js';
import { openContext } from './open-context.js';
import { ClosedPipe, withoutColor, withSafeScreen } from './terminal/terminal.js';

/** Runs a command with a context made from its flags, and gives its exit status. */
export async function runCommand(
  base: Runtime,
  flags: CommonFlags,
  work: (context: Context) => Promise<number>,
): Promise<number> {
  const terminal = withSafeScreen(flags.noColor ? withoutColor(base.terminal) : base.terminal);
  const runtime = { ...base, terminal };
  const opened = openContext(runtime, flags);
  try {
    try {
      return await (runtime.uncaughtError === undefined
        ? work(opened.context)
        : Promise.race([work(opened.context), runtime.uncaughtError]));
    } finally {
      await opened.close();
    }
  } catch (thrown) {
    if (thrown instanceof ClosedPipe) return 0;
    const failure = runtime.signal.aborted ? asInterruption(thrown) : asFailure(thrown);
    return await showFailure(failure, runtime, flags, opened.redactSecrets);
  }
}

/** After Ctrl-C every error counts as an interruption. A Failure that says more about it is kept. */
function asInterruption(thrown: unknown): Failure {
  if (thrown instanceof Failure && thrown.code === 'interrupted') return thrown;
  return new Failure('interrupted', 'Interrupted.', { cause: thrown });
}

/** Writes a Failure to stderr and gives its exit status. */
export async function showFailure(
  failure: Failure,
  { terminal }: Runtime,
  flags: Pick<CommonFlags, 'json' | 'verbose' | 'quiet'>,
  redactSecrets: (text: string) => string,
): Promise<number> {
  // A stack helps only with a bug or a foreign error.
  const verbose = flags.verbose && (failure.code === 'internal' || failure.cause !== undefined);
  const { renderFailure } = await import('./terminal/failure-report.js');
  const { color, columns, isTty } = terminal.stderr;
  const text = renderFailure(failure, { json: flags.json, verbose, color, ...(isTty && { columns }) });
  await terminal.stderr.write(redactSecrets(text)).catch(ignoreWriteError);
  return exitStatuses[failure.code];
}

/** If stderr cannot be written, the exit status is all that is left. */
export function ignoreWriteError(): void {}
