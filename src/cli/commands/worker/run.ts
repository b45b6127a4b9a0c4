import { asFailure, Failure } from '../../../model/failure.js';
import { type Context, untilInterrupted } from '../../context.js';

/** Runs jobs until it is interrupted. */
export async function runWorker(context: Context, { name, check = false }: { name?: string; check?: boolean }) {
  if (context.settings().store === null) {
    throw new Failure('usage', 'A worker needs a database that it shares with others.', {
      hint: 'Give its address with --store or MAILVET_STORE. On one machine, "mailvet serve" runs its jobs itself.',
    });
  }
  const working = context.runWorker({
    ...{ name: name ?? null, check },
    onReady: (ownName) => context.note(`Worker ${ownName} waits for jobs. Ctrl-C releases unfinished ones.`),
    onError: (error) => {
      const { message, hint } = asFailure(error);
      context.warn(hint === null ? message : `${message} ${hint}`);
    },
  });
  await untilInterrupted(context, working);
  if (check) await context.terminal.stdout.write('The worker is running.\n');
  return 0;
}
