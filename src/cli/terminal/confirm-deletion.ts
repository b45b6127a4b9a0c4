import { Failure } from '../../model/failure.js';
import { sanitize } from './sanitize.js';
import type { Terminal } from './terminal.js';

type Asking = { terminal: Pick<Terminal, 'stdin' | 'stderr'> };

/** True if a question can be asked. */
export function canAsk({ terminal: { stdin, stderr } }: Asking): boolean {
  return stdin.isTty && stderr.isTty;
}

interface Confirmation {
  question: string;
  /** The answer was given with the command. */
  yes: boolean | undefined;
  /** What is refused where nothing can be asked; without it, that is a yes. */
  needed?: string;
  unchanged?: string;
}

/** Asks on a terminal unless `yes`; false, with a note, if the answer is no. */
export async function confirmDeletion(
  context: Asking & { note(text: string): void },
  { question, yes = false, needed, unchanged = 'Nothing was deleted.' }: Confirmation,
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(context)) {
    if (needed === undefined) return true;
    throw new Failure('usage', `${needed} needs confirmation.`, { hint: 'Add --yes.' });
  }
  const { askToDelete } = await import('./prompt.js');
  const isConfirmed = await askToDelete(sanitize(question));
  if (!isConfirmed) context.note(unchanged);
  return isConfirmed;
}
