import { sanitize } from './sanitize.js';
import type { Terminal } from './terminal.js';

type Asking = { terminal: Pick<Terminal, 'stdin' | 'stderr'> };
type Noting = Asking & { note(text: string): void };

/** True if a question can be asked. */
export function canAsk({ terminal: { stdin, stderr } }: Asking): boolean {
  return stdin.isTty && stderr.isTty;
}

/** Asks on a terminal unless `yes`; false, with a note, if the answer is no. Without a terminal it asks nothing. */
export async function confirmDeletion(
  context: Noting,
  question: string,
  yes = false,
  unchanged = 'Nothing was deleted.',
): Promise<boolean> {
  if (yes || !canAsk(context)) return true;
  const { askToDelete } = await import('./prompt.js');
  const isConfirmed = await askToDelete(sanitize(question));
  if (!isConfirmed) context.note(unchanged);
  return isConfirmed;
}
