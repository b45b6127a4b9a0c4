import { Failure } from '../../model/failure.js';
import { sanitize } from './sanitize.js';
import type { Terminal } from './terminal.js';

type Asking = { terminal: Pick<Terminal, 'stdin' | 'stderr'> };

/** True if a question can be asked. */
export function canAsk({ terminal: { stdin, stderr } }: Asking): boolean {
  return stdin.isTty && stderr.isTty;
}

/** Asks on a terminal unless `yes`, and throws if the answer is no. Without a terminal it asks nothing. */
export async function confirmDeletion(context: Asking, question: string, yes = false): Promise<void> {
  if (yes || !canAsk(context)) return;
  const { askYes } = await import('./prompt.js');
  if (await askYes(sanitize(question), false)) return;
  throw new Failure('interrupted', 'Nothing was deleted.');
}
